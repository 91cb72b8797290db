import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bundle, type Program } from '../setup/bundle.js'
import { drivers, newFile, removeFiles } from './sqlite-files.js'

const run = promisify(execFile)

let program: Program
beforeAll(async () => {
  program = await bundle(join(import.meta.dirname, 'sqlite-driver-process.ts'))
})
afterEach(() => rmSync(packages(), { recursive: true, force: true }))
afterAll(() => {
  program.remove()
  removeFiles()
})

const packages = () => join(dirname(program.path), 'node_modules')

/** Installs a driver for the program alone, before any other. */
function install(name: string, source: string): void {
  mkdirSync(join(packages(), name), { recursive: true })
  writeFileSync(join(packages(), name, 'index.js'), source)
}

async function check(file: string) {
  const { stdout } = await run(process.execPath, [program.path, file])
  return JSON.parse(stdout)
}

/** The store takes better-sqlite3 before libsql. */
const isPreferred = drivers.some(([name]) => name === 'better-sqlite3')

const unbuilt = `throw new Error('Could not locate the bindings file.')`

describe('a driver that is installed but does not load', () => {
  test('better-sqlite3 finds its binary only when it opens a database', async () => {
    install('better-sqlite3', `module.exports = class { constructor() { ${unbuilt} } }`)
    expect(await check(newFile())).toEqual({
      code: 'store_unsupported',
      message: expect.stringContaining(
        'better-sqlite3 is installed but not built for this Node; run npm rebuild better-sqlite3, or use Node 22.13 or later',
      ),
      cause: 'Could not locate the bindings file.',
    })
  })

  test('better-sqlite3 throws when it is loaded', async () => {
    install('better-sqlite3', unbuilt)
    expect(await check(newFile())).toMatchObject({
      code: 'store_unsupported',
      message: expect.stringContaining('better-sqlite3 is installed but'),
    })
  })

  test.skipIf(isPreferred)('libsql lacks the package with its binary', async () => {
    install('libsql', `require('@libsql/no-such-system')`)
    expect(await check(newFile())).toMatchObject({
      code: 'store_unsupported',
      message: expect.stringContaining('libsql is installed but'),
    })
  })
})

test('a file that does not open is named, whatever the driver', async () => {
  const path = join(newFile(), 'missing', 'inbox.db')
  expect((await check(path)).message).toContain(`the file ${path} cannot be opened`)
})
