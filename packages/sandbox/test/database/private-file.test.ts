import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/database/open.js'

test('only the user of the program may read a new file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  const umask = process.umask(0o022)
  onTestFinished(() => {
    process.umask(umask)
    rmSync(folder, { recursive: true })
  })
  const database = openDatabase(join(folder, 'state.db'))
  onTestFinished(() => database.close())
  // The lock contains nothing.
  const names = readdirSync(folder).filter((name) => !name.includes('-lock'))
  expect(names).toContain('state.db')
  expect(names.map((name) => statSync(join(folder, name)).mode & 0o077)).toEqual(names.map(() => 0))
})
