import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The tests that a mutant has to survive: few runs of each property, since thousands of mutants are to be tried. */
export default defineConfig({
  root: here('..'),
  resolve: { alias: { '#crypto': here('../src/crypto/node.ts') } },
  test: {
    include: ['test/{signature,event,dedupe}/**/*.test.ts'],
    env: { FUZZ_RUNS: '1000' },
    testTimeout: 30_000,
  },
})
