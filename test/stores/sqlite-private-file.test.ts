import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'

afterAll(removeFiles)

const modes = (file: string) =>
  Object.fromEntries(
    readdirSync(dirname(file)).map((name) => [name, statSync(join(dirname(file), name)).mode & 0o777]),
  )

async function opened(file: string) {
  const umask = process.umask(0o022)
  onTestFinished(() => void process.umask(umask))
  const store = sqliteStore(file)
  await store.check()
  onTestFinished(() => store.close())
}

it('only the user of the program may read a new file', async () => {
  const file = newFile()
  await opened(file)
  expect(modes(file)).toMatchObject({ 'inbox.db': 0o600, 'inbox.db-wal': 0o600 })
  expect(Object.values(modes(file)).every((mode) => mode === 0o600)).toBe(true)
})

it('an existing file keeps its mode', async () => {
  const file = newFile()
  writeFileSync(file, '')
  chmodSync(file, 0o660)
  await opened(file)
  expect(modes(file)['inbox.db']).toBe(0o660)
})
