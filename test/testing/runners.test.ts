import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt, root } from '../examples/built.js'
import { start } from '../examples/program.js'

beforeAll(ensureBuilt)

const bin = (path: string) => join(root, 'node_modules', path)

/** The examples are the proof: each runs under its own runner, on the built package. */
const runners = {
  vitest: [
    [bin('vitest/vitest.mjs'), 'run', '--root', 'examples/testing-vitest', '--reporter', 'verbose'],
    /Tests +4 passed \(4\)/,
  ],
  'node:test with supertest': [
    ['--import', 'tsx', '--test', '--test-reporter', 'tap', 'examples/testing-node/payments.test.ts'],
    /# pass 2\n# fail 0/,
  ],
  jest: [
    ['--experimental-vm-modules', bin('jest/bin/jest.js'), '--rootDir', 'examples/testing-jest'],
    /Tests: +\d{2} passed, \d{2} total/,
  ],
} satisfies Record<string, [string[], RegExp]>

describe('the test kit', () => {
  it.each(Object.entries(runners))('works under %s', async (_name, [args, summary]) => {
    const program = start(process.execPath, args)
    expect(await program.ended, program.output()).toEqual({ code: 0, signal: null })
    expect(program.output()).toMatch(summary)
    expect(program.output()).not.toMatch('did not exit')
  })
})
