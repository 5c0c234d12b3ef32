import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  { ignores: ['dist/', '.data/', 'coverage/', 'node_modules/', 'bench/peers/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/promise-function-async': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        // A default that throws is how input from outside is refused.
        { considerDefaultExhaustiveForUnions: true },
      ],
      // `void promise` is how a promise is left to itself on purpose.
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      // Express handlers and event listeners are declared to return void and may be async.
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { arguments: false, attributes: false } },
      ],
      // Numbers and booleans read well in templates; objects do not.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // Short arrow functions may give on what they call.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // Ports return promises; an implementation that has nothing to wait for stays `async`.
      '@typescript-eslint/require-await': 'off',
      // `_` says that a parameter is there for its position.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // With `noUncheckedIndexedAccess` an element that is known to be there needs a `!` to say so.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Interfaces are written with methods and made of closures; taking one out is safe.
      '@typescript-eslint/unbound-method': 'off',
      // What was caught and is not ours is thrown on as it is.
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true }],
      // A field may change while a function waits, which the checker does not know.
      '@typescript-eslint/no-unnecessary-condition': 'off',
    },
  },
  {
    // The command, the demos, the bench and the tests' reporter talk to a person at a terminal.
    files: ['server/**', 'demo/**', 'bench/**', 'test/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**'],
    rules: {
      // JSON answers are read as the test expects them.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // Workflow code runs in Temporal's sandbox, where these are either missing or not deterministic.
    files: ['workflows/**', 'core/session*/**', 'core/session*.ts', 'agents/**'],
    ignores: ['**/*.activities.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        'process',
        'Buffer',
        'fetch',
        'setInterval',
        'setImmediate',
        'performance',
      ],
    },
  },
);
