const folder = process.env.MUTATE ?? '{signature,event,store,ordering}'

/**
 * Mutation testing of what must not be wrong: `npx stryker run`, or one folder with its own tests alone, which is
 * quicker: `MUTATE=event npx stryker run`. The report is reports/mutation.html.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: [`src/${folder}/**/*.ts`],
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
  cleanTempDir: 'always',
  concurrency: 2,
  timeoutMS: 8000,
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false },
  htmlReporter: { fileName: 'reports/mutation.html' },
  jsonReporter: { fileName: 'reports/mutation.json' },
  thresholds: { high: 98, low: 95, break: 95 },
}
