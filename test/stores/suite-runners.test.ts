import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, describe, expect, test } from 'vitest'
import { memoryLeases, memoryStore } from '../../src/stores/memory.js'
import type { TestFunction } from '../../src/testing/laws.js'
import { leaseSuite } from '../../src/testing/lease-suite.js'
import { storeSuite } from '../../src/testing/store-suite.js'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const run = promisify(execFile)

// Jest does not look for tests below node_modules.
const dir = mkdtempSync(join(tmpdir(), 'webhook-inbox-suite-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Writes a test file as a user does. A `broken` store treats every event as new. */
async function writeSuite(
  name: string,
  { head, broken }: { head: string; broken: boolean },
): Promise<string> {
  const source = `
    ${head}
    import { memoryStore } from ${JSON.stringify(here('../../src/stores/memory.ts'))}
    import { storeSuite } from ${JSON.stringify(here('../../src/testing/store-suite.ts'))}
    const store = memoryStore()
    const broken = { ...store, once: async (event, work) => ({ state: 'done', value: await work({ attempt: 1, signal: new AbortController().signal }), attempt: 1 }) }
    storeSuite(test, () => (${broken} ? broken : store), {
      shortLeaseSeconds: 0.5,
      skip: [{ reason: 'to see one', tests: ['unusual keys are different keys'] }],
    })`
  const outfile = join(dir, name)
  await build({
    stdin: { contents: source, loader: 'ts', resolveDir: dir },
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    alias: { '#crypto': here('../../src/signature/crypto/node.ts') },
    logLevel: 'error',
  })
  return outfile
}

const runners = {
  'node:test': {
    head: `import { test } from 'node:test'`,
    start: (file: string) => run(process.execPath, ['--test', '--test-reporter=tap', file]),
  },
  jest: {
    head: '',
    start: async (file: string) => {
      writeFileSync(join(dir, 'package.json'), '{}')
      const jest = here('../../node_modules/jest/bin/jest.js')
      return run(process.execPath, [jest, '--rootDir', dir, '--testMatch', file, '--verbose'], { cwd: dir })
    },
  },
}

for (const [name, { head, start }] of Object.entries(runners)) {
  test(`the suite passes under ${name} on a good store, and names what is skipped`, async () => {
    const file = await writeSuite(`good-${name.replace(':', '-')}.test.cjs`, { head, broken: false })
    const { stdout, stderr } = await start(file)
    expect(stdout + stderr).toContain('unusual keys are different keys (skipped: to see one)')
  })

  test(`the suite fails under ${name} on a store that forgets`, async () => {
    const file = await writeSuite(`broken-${name.replace(':', '-')}.test.cjs`, { head, broken: true })
    const failure = await start(file).then(
      () => undefined,
      (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
    )
    expect(failure).toContain('one of a thousand concurrent deliveries runs')
  })
}

test('skipping an unknown law is an error', () => {
  const skip = [{ reason: 'none', tests: ['no such law'] }]
  expect(() =>
    storeSuite(
      () => {},
      () => memoryStore(),
      { skip },
    ),
  ).toThrow('no such law')
})

/** Runs the laws of a suite whose names contain these words. */
async function runLaws(words: string, register: (test: TestFunction) => void) {
  const laws: (() => Promise<void>)[] = []
  register((name, law) => {
    if (name.includes(words)) {
      laws.push(law)
    }
  })
  expect(laws).not.toEqual([])
  for (const law of laws) {
    await law()
  }
}

describe('a store whose prune does nothing', () => {
  const keepsAll = () => ({ ...memoryStore(), prune: async () => 0 })
  const leasesKeepAll = () => ({ ...memoryLeases(), prune: async () => 0 })

  test('fails, and learns the option for a backend that deletes expired events itself', async () => {
    const hint = 'add prunes: false'
    await expect(runLaws('prune', (test) => storeSuite(test, keepsAll))).rejects.toThrow(hint)
    await expect(runLaws('prune', (test) => leaseSuite(test, leasesKeepAll))).rejects.toThrow(hint)
  })

  test('passes with prunes: false, with which a store that deletes fails', async () => {
    const options = { prunes: false }
    await runLaws('prune', (test) => storeSuite(test, keepsAll, options))
    await runLaws('prune', (test) => leaseSuite(test, leasesKeepAll, options))
    await expect(runLaws('prune', (test) => storeSuite(test, () => memoryStore(), options))).rejects.toThrow()
  })
})
