import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

let directory: string
beforeAll(() => {
  // Below node_modules, so that the tests find vitest there.
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  directory = mkdtempSync(join(cache, 'webhook-inbox-retries-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Runs one test file with the reporters of this project and one retry. */
function run(source: string): readonly string[] {
  writeFileSync(join(directory, 'some.test.mjs'), `import { expect, test } from 'vitest'\n${source}`)
  writeFileSync(join(directory, 'vitest.config.mjs'), 'export default {}')
  const reporters = ['retried-tests', 'closing-line'].map(
    (name) => `--reporter=${root}/test/setup/${name}.ts`,
  )
  const { stdout } = spawnSync(
    process.execPath,
    [`${root}/node_modules/vitest/vitest.mjs`, 'run', '--retry=1', ...reporters],
    { cwd: directory, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
  )
  return stdout.trim().split('\n')
}

test('a test that passes only when it is retried shows why it failed, and the last line counts it as passed', () => {
  const lines = run(`
    let attempts = 0
    test('passes at once', () => {})
    test('fails at first', () => expect({ attempts: ++attempts }).toEqual({ attempts: 2 }))
    test('fails always', () => expect('the second failure').toBe(''))`)
  const text = lines.join('\n')
  expect(text).toMatch(/Passed at attempt 2: .*some\.test\.mjs > fails at first/)
  expect(text).toContain('AssertionError: expected { attempts: 1 } to deeply equal { attempts: 2 }')
  expect(text).toContain('some.test.mjs:5:')
  expect(text).toMatch(/-\s+"attempts": 2,\n\+\s+"attempts": 1,/)
  expect(text).not.toMatch(/Passed at attempt .*(at once|always)/)
  expect(lines.at(-1)).toBe('2 passed, 1 failed')
})
