import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { FastFirst } from './fast-first.js'
import { folders } from './folders.js'

const folder = process.env.MUTATE ?? ''
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Their tests run in this process and keep nothing in modules, so they may share modules. Loading takes longer than they. */
const inProcess =
  /^src(\/(signature|event|store|ordering|dispatch|timing|options|operations|report|steps|stores\/memory|testing))?$/

/** The tests that run for each mutant. Properties run a few times only, because there are thousands of mutants. */
export default defineConfig({
  root: here('../..'),
  resolve: { alias: { '#crypto': here('../../src/signature/crypto/node.ts') } },
  test: {
    include: [...(folders[folder]?.tests ?? [])],
    // The tester changes this process. A test of another process cannot notice.
    exclude: ['**/*.process.test.ts'],
    env: { FUZZ_RUNS: process.env.FUZZ_RUNS ?? '20' },
    isolate: !inProcess.test(folder),
    sequence: { sequencer: FastFirst },
    testTimeout: 30_000,
  },
})
