import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { FastFirst } from './fast-first.js'
import { folders } from './folders.js'

const folder = process.env.MUTATE ?? ''
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The tests of this folder register something for their whole process. Others share modules, because loading takes longer than they. */
const ownProcess = /^src\/telemetries$/

/** The tests that run for each mutant. Properties run a few times only, because there are thousands of mutants. */
export default defineConfig({
  root: here('../..'),
  resolve: { alias: { '#crypto': here('../../src/signature/crypto/node.ts') } },
  test: {
    include: [...(folders[folder]?.tests ?? [])],
    setupFiles: folder === 'packages/cli' ? [here('load-cli.ts')] : [],
    // The tester changes this process. A test of another process cannot notice.
    exclude: ['**/*.process.test.ts'],
    env: { FUZZ_RUNS: process.env.FUZZ_RUNS ?? '20' },
    isolate: ownProcess.test(folder),
    sequence: { sequencer: FastFirst },
    // On a busy machine a test takes long, and one that is too slow ends the whole run.
    testTimeout: 90_000,
    // Stryker leaves out the tests of a file whose hook failed, and says nothing.
    hookTimeout: 60_000,
    // As without mutants, because a poll that ends too early ends the whole run too.
    expect: { poll: { timeout: 20_000 } },
  },
})
