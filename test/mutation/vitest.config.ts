import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { folders } from './folders.js'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The tests that run for each mutant. Properties run a few times only, because there are thousands of mutants. */
export default defineConfig({
  root: here('../..'),
  resolve: { alias: { '#crypto': here('../../src/signature/crypto/node.ts') } },
  test: {
    include: [...(folders[process.env.MUTATE ?? '']?.tests ?? [])],
    env: { FUZZ_RUNS: '100' },
    // No test file replaces a module, so files may share modules. Loading them takes longer than the tests.
    isolate: process.env.MUTATE !== 'src/event',
    testTimeout: 30_000,
  },
})
