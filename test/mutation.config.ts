import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The tests that a mutant has to survive: few runs of each property, since thousands of mutants are to be tried. */
export default defineConfig({
  root: here('..'),
  resolve: { alias: { '#crypto': here('../src/signature/crypto/node.ts') } },
  test: {
    include: [`test/${process.env.MUTATE ?? '{signature,event,store,ordering}'}/**/*.test.ts`],
    env: { FUZZ_RUNS: '300' },
    // Where no file replaces a module they may share them: to load them afresh takes longer than to run the tests.
    isolate: !['event', 'store'].includes(process.env.MUTATE ?? ''),
    testTimeout: 30_000,
  },
})
