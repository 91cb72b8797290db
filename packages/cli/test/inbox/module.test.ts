import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReceiver } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { testSender } from 'webhook-inbox/testing'
import { builtProgram } from '../built.js'
import { webhookInbox } from '../in-process.js'
import { given, ids, openRig, programs, type Rig, run, secret } from './rig.js'

let rig: Rig
beforeAll(async () => {
  rig = await openRig('receiver.ts')
})
afterAll(() => rig?.close())

describe('a module', () => {
  it('logs to stderr, because stdout has the result of the command', async () => {
    const { stdout, stderr } = await rig.program(['list'])
    expect(ids(stdout)).toEqual(given)
    expect(stderr).toContain('this program logs when it is loaded')
  })

  it('may be JavaScript with a default export', async () => {
    const { stdout } = await rig.program(['list', '--limit', '1'], programs('receiver.mjs'))
    expect(ids(stdout)).toEqual(['evt_good'])
  })

  it.each([
    ['TypeScript', 'receiver.ts'],
    ['JavaScript', 'receiver.mjs'],
  ])('in %s may be named by a file: URL', async (_, name) => {
    const { code, stdout } = await rig.program(['list', '--limit', '1'], pathToFileURL(programs(name)).href)
    expect(code).toBe(0)
    expect(ids(stdout)).toEqual(['evt_good'])
  })

  it('may be named relative to the folder of the shell', async () => {
    const args = ['inbox', 'list', '--limit', '1', '-r', basename(rig.module)]
    const { stdout } = await run(await builtProgram(), args, dirname(rig.module))
    expect(ids(stdout)).toEqual(['evt_good'])
  })

  it('whose relative database is not in the folder of the shell is rejected, and no file is made', async () => {
    const database = process.env.INBOX_DATABASE
    const args = ['inbox', 'list', '--limit', '1', '-r', programs('receiver.mjs')]
    try {
      process.env.INBOX_DATABASE = 'elsewhere.db'
      const { code, stdout, stderr } = await run(await builtProgram(), args, rig.folder)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain(`${sep}elsewhere.db does not exist`)
      expect(existsSync(join(rig.folder, 'elsewhere.db'))).toBe(false)
      process.env.INBOX_DATABASE = 'inbox.db'
      expect(ids((await run(await builtProgram(), args, rig.folder)).stdout)).toEqual(['evt_good'])
    } finally {
      process.env.INBOX_DATABASE = database
    }
  })

  it('that starts its receiver runs no handler in the process of the operator', async () => {
    const database = process.env.INBOX_DATABASE
    const store = sqliteStore(join(rig.folder, 'unguarded.db'))
    const receiver = createReceiver({ secret, store, queue: localQueue(), fallback() {}, logger: false })
    try {
      await testSender({ receiver, secret }).send('transfer.settled', {}, { id: 'evt_waits' })
      await receiver.stop()
      process.env.INBOX_DATABASE = join(rig.folder, 'unguarded.db')
      const { stdout, stderr } = await rig.program(['list'], programs('unguarded.mjs'))
      expect(ids(stdout)).toEqual(['evt_waits'])
      expect(stderr.match(/start\(\) runs nothing/g)).toHaveLength(1)
      const { stdout: later } = await rig.program(['list'], programs('unguarded.mjs'))
      expect(later).toContain('"state":"accepted"')
      expect(existsSync(join(rig.folder, 'unguarded.db.ran'))).toBe(false)
    } finally {
      process.env.INBOX_DATABASE = database
    }
  })

  it.each([
    ['missing.ts', undefined, 'there is no such file'],
    ['empty.mjs', 'export {}', 'must export its receiver'],
    ['broken.ts', 'export const receiver: = 1', 'cannot be loaded'],
    ['throws.mjs', 'throw new Error("no database url")', 'no database url'],
  ])('%s is rejected with the reason', async (name, text, message) => {
    const path = join(rig.folder, name)
    if (text !== undefined) {
      await writeFile(path, text)
    }
    const { code, stderr } = await rig.program(['list'], path)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('without its secret is rejected in one line, with the variable that it reads', async () => {
    const { code, stderr } = await rig.program(['list'], programs('without-secret.ts'))
    const [line, ...rest] = stderr.split('\n')
    expect([code, rest]).toEqual([2, ['See webhook-inbox inbox list --help.', '']])
    expect(line).toMatch(/without-secret\.ts cannot be loaded: invalid_secret: a secret cannot be used/)
    expect(line).toMatch(/\. The module reads MY_SECRET, not set here: set what your program sets$/)
  })

  it('must be named', async () => {
    const { code, stderr } = await webhookInbox(['inbox', 'list'])
    expect(code).toBe(2)
    expect(stderr).toContain('--receiver FILE')
  })

  it('needs no migrate on SQLite, which upgrades itself, and --print-sql needs no module', async () => {
    const migrated = await rig.program(['migrate'], programs('receiver.mjs'))
    expect(migrated).toMatchObject({ code: 0, stdout: 'SQLite upgrades itself; nothing to do.\n' })
    const { stdout } = await webhookInbox(['inbox', 'migrate', '--print-sql', '--schema', 'hooks'])
    expect(stdout).toMatch(/CREATE SCHEMA IF NOT EXISTS "?hooks/)
  })

  it('is not asked for the schema of --print-sql, so that must be named', async () => {
    const { code, stdout, stderr } = await rig.program(['migrate', '--print-sql'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('name the schema of the store with --schema')
    const named = await rig.program(['migrate', '--print-sql', '--schema', 'webhook_inbox'])
    expect(named.stdout).toContain('CREATE SCHEMA IF NOT EXISTS "webhook_inbox"')
    const unused = await rig.program(['migrate', '--schema', 'hooks'])
    expect(unused.code).toBe(2)
    expect(unused.stderr).toContain('--schema is for --print-sql')
  })
})
