import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { rails } from '../src/bank/rails.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the program of the README runs and prints what the README says', async () => {
  const [, program] = /```js\n([\s\S]+?)```/.exec(readme) ?? []
  // Inside the package, so that it finds the packages by their names.
  const file = fileURLToPath(new URL(`./readme-${process.pid}.tmp.mjs`, import.meta.url))
  onTestFinished(() => rmSync(file, { force: true }))
  writeFileSync(file, program as string)
  const { stdout } = await promisify(execFile)(process.execPath, [file])
  const lines = stdout.split('\n').filter((line) => line && !line.startsWith('webhook-inbox: '))
  expect(lines).toEqual(['201', 'settled sim_settle', '200 processed'])
})

test('the README names every rail', () => {
  for (const { id } of rails) {
    expect(readme).toContain(`\`${id}\``)
  }
})

test('the README lists every flag of the program', async () => {
  const { help } = await import('../src/program/program-flags.js')
  const flags = [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map((match) => match[1] as string)
  expect(flags.length).toBeGreaterThan(15)
  for (const flag of flags) {
    if (flag !== '--help') {
      expect(readme).toContain(`| \`${flag}`)
    }
  }
})
