import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the program of the README runs and prints what its comments say', async () => {
  const [, program = ''] = /```js\n([\s\S]+?)```/.exec(readme) ?? []
  // Inside the package, so that it finds the packages by their names.
  const file = fileURLToPath(new URL(`./readme-${process.pid}.tmp.mjs`, import.meta.url))
  onTestFinished(() => rmSync(file, { force: true }))
  writeFileSync(file, program)
  const { stdout } = await promisify(execFile)(process.execPath, [file])
  const said = [...program.matchAll(/console\.log\(.*\) +\/\/ (\w+)/g)].map(([, word]) => word)
  expect(said).toHaveLength(3)
  expect(stdout.trim().split('\n')).toEqual(said)
})
