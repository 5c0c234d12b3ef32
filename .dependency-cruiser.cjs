/**
 * The house's import directions (docs/decisions/0001, CONTRIBUTING.md). `npm run check` and
 * test/architecture.test.ts hold them; the test also breaks each rule once and sees it caught.
 *
 * A path is the file's place in the repository; a folder is a runtime or a pure layer.
 */

/** Local files of the product outside the folders named. */
const otherThan = (...folders) => ({
  path: '^(core|wire|journal|dispatch|webhooks|activities|workflows|worker|api|server|agents|testing|bench|test)/|^index[.]ts$',
  pathNot: `^(${folders.join('|')})/`,
});

/** The product: what is published. */
const PRODUCT =
  '^(core|wire|journal|dispatch|webhooks|activities|workflows|worker|api|server|testing)/|^index[.]ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'core-is-pure',
      comment: 'core is bundled into workflows and read by every layer: it imports nothing outside itself.',
      severity: 'error',
      from: { path: '^core/' },
      to: { pathNot: '^core/' },
    },
    {
      name: 'wire-imports-core-only',
      comment: 'A codec is a pure function of its input.',
      severity: 'error',
      from: { path: '^wire/' },
      to: otherThan('core', 'wire'),
    },
    {
      name: 'wire-does-no-io',
      comment: 'A codec is a pure function of its input.',
      severity: 'error',
      from: { path: '^wire/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'journal-imports-core-only',
      severity: 'error',
      from: { path: '^journal/' },
      to: otherThan('core', 'journal'),
    },
    {
      name: 'dispatch-imports-core-only',
      comment: 'The client side of Temporal.',
      severity: 'error',
      from: { path: '^dispatch/' },
      to: otherThan('core', 'dispatch'),
    },
    {
      name: 'webhooks-import-core-and-wire-only',
      comment: 'The journal and Temporal are arguments.',
      severity: 'error',
      from: { path: '^webhooks/' },
      to: otherThan('core', 'wire', 'webhooks'),
    },
    {
      name: 'activities-below-the-worker',
      severity: 'error',
      from: { path: '^activities/' },
      to: otherThan('core', 'wire', 'journal', 'activities'),
    },
    {
      name: 'api-below-the-server',
      comment: 'The API gets Temporal and the agents as arguments.',
      severity: 'error',
      from: { path: '^api/' },
      to: otherThan('core', 'wire', 'journal', 'api'),
    },
    {
      name: 'workflows-import-core-and-activity-types',
      severity: 'error',
      from: { path: '^workflows/' },
      to: otherThan('core', 'activities', 'workflows'),
    },
    {
      name: 'workflows-import-activities-as-types',
      comment: 'A value import would bundle the activity, silently, into the workflow.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'workflows-stay-in-the-sandbox',
      comment: "No Node.js module, and of Temporal only the workflow's side.",
      severity: 'error',
      from: { path: '^workflows/' },
      to: { pathNot: '^(core|activities|workflows)/|node_modules/@temporalio/(workflow|common)/' },
    },
    {
      name: 'agents-import-the-package-only',
      comment: 'Our agents use what everybody gets: the package and their own activities.',
      severity: 'error',
      from: { path: '^agents/', pathNot: '[.](activities|test)[.]ts$' },
      to: { pathNot: '^index[.]ts$|^agents/' },
    },
    {
      name: 'agents-import-activities-as-types',
      comment: '`run` is workflow code.',
      severity: 'error',
      from: { path: '^agents/', pathNot: '[.](activities|test)[.]ts$' },
      to: { path: '[.]activities[.]ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'index-exports-core-only',
      comment: 'The root export is bundled into workflows with every agent.',
      severity: 'error',
      from: { path: '^index[.]ts$' },
      to: { pathNot: '^core/' },
    },
    {
      name: 'testing-needs-no-server',
      severity: 'error',
      from: { path: '^testing/' },
      to: {
        ...otherThan('core', 'testing'),
        pathNot: '^(core|testing|activities/model)/|^activities/heartbeat[.]ts$|^index[.]ts$',
      },
    },
    {
      name: 'api-and-worker-belong-to-the-server',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^(api|worker|server)/' },
      to: { path: '^(api|worker)/' },
    },
    {
      name: 'api-and-worker-do-not-meet',
      comment: 'They run apart.',
      severity: 'error',
      from: { path: '^worker/' },
      to: otherThan('core', 'wire', 'journal', 'activities', 'dispatch', 'workflows', 'worker'),
    },
    {
      name: 'nobody-imports-the-server',
      comment: 'server/ is where it is all put together.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^server/' },
      to: { path: '^server/' },
    },
    {
      name: 'product-imports-no-test-or-bench',
      severity: 'error',
      from: { path: `${PRODUCT}|^agents/` },
      to: { path: '^(test|bench|demo)/' },
    },
    {
      name: 'product-needs-no-dev-dependency',
      severity: 'error',
      from: { path: PRODUCT },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-cycles',
      comment: 'At run time. A part may name the type of the class that it belongs to.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'all-imports-resolve',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|[.]data|coverage|bench/peers)/' },
    // So that type-only imports are seen, and told from value imports.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
