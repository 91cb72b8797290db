/**
 * Mutation testing of what must not be wrong: `npx stryker run`, or a folder at a time with
 * `npx stryker run --mutate 'src/signature/**'`. The report is reports/mutation.html.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: ['src/signature/**/*.ts', 'src/event/**/*.ts', 'src/dedupe/**/*.ts'],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation.config.ts' },
  // The sandbox is a copy; what the tests of these folders do not need stays out of it.
  ignorePatterns: [
    'dist',
    'reports',
    'adapters',
    'bench',
    'demo',
    'examples',
    'test/{adapters,package,stores,testing}',
  ],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ['clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false },
  htmlReporter: { fileName: 'reports/mutation.html' },
  jsonReporter: { fileName: 'reports/mutation.json' },
  thresholds: { high: 98, low: 95, break: 95 },
}
