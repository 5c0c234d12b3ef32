import { findTemporalBinary } from './temporal-binary.js';

// `npm run temporal:install`: obtains Temporal ahead of time, so that no later step waits for it.
try {
  const path = await findTemporalBinary({ env: process.env, report: (line) => console.error(line) });
  console.log(path);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
