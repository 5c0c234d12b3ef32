import { defineConfig } from 'vitest/config';
import { RequirementsReporter } from './test/support/requirements-reporter.js';

/** Folders whose tests need no Temporal server; `npm run test:unit` runs these alone. */
const UNIT = [
  'test/*.test.ts',
  'test/{agents,api,conformance,core,docs,journal,model,support,webhooks,wire}/**/*.test.ts',
  'test/bench/report.test.ts',
];

/** A test that waits on real processes gets its time; one that hangs still ends. */
const PATIENCE = { testTimeout: 60_000, hookTimeout: 300_000, teardownTimeout: 30_000, retry: 0 };

export default defineConfig({
  test: {
    pool: 'forks',
    // Tests start processes of their own and measure time: more files at once only slow each other down.
    maxWorkers: 2,
    reporters: ['default', new RequirementsReporter()],
    projects: [
      { test: { name: 'unit', include: UNIT, ...PATIENCE } },
      {
        test: {
          name: 'temporal',
          include: ['test/**/*.test.ts'],
          exclude: UNIT,
          globalSetup: 'test/support/global-setup.ts',
          ...PATIENCE,
        },
      },
    ],
  },
});
