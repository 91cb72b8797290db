import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { memoryStore } from '../../src/stores/memory.js'
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
