import { folders } from './test/mutation/folders.ts'

const folder = folders[process.env.MUTATE ?? '']
const isSample = process.env.SAMPLE !== undefined
const resultsOf = [process.env.MUTATE?.replaceAll('/', '-'), process.env.SAMPLE].filter(Boolean).join('-')

/**
 * For `npm run test:mutation -- FOLDER`, which sets MUTATE and judges the report. See test/mutation/folders.ts for the
 * folders, and test/mutation/exceptions.ts for the mutants that change nothing a test could see. SAMPLE=0.1 tests one mutant
 * in ten, and none of those that run at import.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: [...(folder?.mutate ?? []), '!**/*.d.ts'],
  // LIVE=1 keeps one worker for all mutants. See test/mutation/live/plugin.mjs.
  testRunner: process.env.LIVE === undefined ? 'vitest' : 'live',
  plugins: [
    '@stryker-mutator/vitest-runner',
    './test/mutation/sample.mjs',
    './test/mutation/live/plugin.mjs',
    './test/mutation/live/tell.mjs',
  ],
  checkers: isSample ? ['sample'] : [],
  // A mutant of code that runs at import needs all tests in a new process.
  ignoreStatic: isSample,
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  // The sandbox is a copy; what no test of these folders needs stays out of it.
  ignorePatterns: ['reports', 'packages/bench', 'docs/.vitepress'],
  coverageAnalysis: 'perTest',
  // RESUME=1 keeps the results of a folder, and tests again only what a changed source or test concerns. Stryker does not know
  // which tests concern code that runs at import, so its survivors there stay until a run without RESUME. A sample has a file of
  // its own, because a larger run would keep what the sample left out.
  incremental: process.env.RESUME !== undefined,
  incrementalFile: `reports/mutation/${resultsOf}.json`,
  cleanTempDir: 'always',
  // The tests of BullMQ and pg-boss mostly wait. All of them together take longer than the default of five minutes.
  dryRunTimeoutMinutes: 30,
  concurrency: Number(process.env.CONCURRENCY ?? 2),
  timeoutMS: 8000,
  // The live runner has a limit of its own. On a busy machine the tests of a survivor take much longer than in the first run.
  timeoutFactor: process.env.LIVE === undefined ? 1.2 : 10,
  reporters: ['progress-append-only', 'tell', 'html', 'json'],
  htmlReporter: { fileName: 'reports/mutation.html' },
  jsonReporter: { fileName: process.env.REPORT ?? 'reports/mutation.json' },
  thresholds: { high: 98, low: 95, break: null },
}
