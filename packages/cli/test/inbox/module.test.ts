import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReceiver } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { testSender } from 'webhook-inbox/testing'
import { readAudit } from '../../src/inbox/audit.js'
import { builtProgram } from '../built.js'
import { webhookInbox } from '../in-process.js'
import { ids, openRig, programs, type Rig, run, secret } from './rig.js'

let rig: Rig
beforeAll(async () => {
  rig = await openRig('receiver.ts')
})
afterAll(() => rig?.close())

describe('a module', () => {
  it('may be JavaScript with a default export', async () => {
    const { stdout } = await rig.inbox(['list', '--limit', '1'], programs('receiver.mjs'))
    expect(ids(stdout)).toEqual(['evt_good'])
  })

  it.each([
    ['TypeScript', 'receiver.ts'],
    ['JavaScript', 'receiver.mjs'],
  ])('in %s may be named by a file: URL', async (_, name) => {
    const { code, stdout } = await rig.inbox(['list', '--limit', '1'], pathToFileURL(programs(name)).href)
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
      const { stdout, stderr } = await rig.inbox(['list'], programs('unguarded.mjs'))
      expect(ids(stdout)).toEqual(['evt_waits'])
      expect(stderr.match(/start\(\) runs nothing/g)).toHaveLength(1)
      const { stdout: later } = await rig.inbox(['list'], programs('unguarded.mjs'))
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
    const { code, stderr } = await rig.inbox(['list'], path)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('without its secret is rejected in one line, with the variable that it reads', async () => {
    const { code, stderr } = await rig.inbox(['list'], programs('without-secret.ts'))
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
    const migrated = await rig.inbox(['migrate'], programs('receiver.mjs'))
    expect(migrated).toMatchObject({ code: 0, stdout: 'SQLite upgrades itself; nothing to do.\n' })
    const { stdout } = await webhookInbox(['inbox', 'migrate', '--print-sql', '--schema', 'hooks'])
    expect(stdout).toMatch(/CREATE SCHEMA IF NOT EXISTS "?hooks/)
  })

  it('is not asked for the schema of --print-sql, so that must be named', async () => {
    const { code, stdout, stderr } = await rig.inbox(['migrate', '--print-sql'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('name the schema of the store with --schema')
    const named = await rig.inbox(['migrate', '--print-sql', '--schema', 'webhook_inbox'])
    expect(named.stdout).toContain('CREATE SCHEMA IF NOT EXISTS "webhook_inbox"')
    const unused = await rig.inbox(['migrate', '--schema', 'hooks'])
    expect(unused.code).toBe(2)
    expect(unused.stderr).toContain('--schema is for --print-sql')
  })
})

describe('inbox', () => {
  it('takes the actor from the name of the user', () => {
    expect(readAudit({ reason: 'r', actor: undefined })).toEqual({ reason: 'r', actor: userInfo().username })
    expect(readAudit({ reason: 'r', actor: 'the night shift' }).actor).toBe('the night shift')
  })

  it.each([
    [['replay', 'evt_1'], 'say why with --reason'],
    [['replay', 'evt_1', '--reason', ' '], 'say why with --reason'],
    [['replay', 'evt_1', '--reason', '\u200b\ufeff'], 'say why with --reason'],
    [['replay', 'evt_1', '--reason', 'r', '--actor', ''], 'say who acts with --actor'],
    [['replay', 'evt_1', '--reason', 'r', '--actor', '\u200b'], 'say who acts with --actor'],
    [['replay', '--reason', 'r'], 'say which ones: --state dead'],
    [['replay', 'evt_1', '--type', 'a', '--reason', 'r'], 'not both'],
    [['replay', '--state', 'dead', '--since', 'now', '--reason', 'r'], '--since must be'],
    [['replay', '--state', 'dead', '--since=-1', '--reason', 'r'], '--since must be'],
    [['replay', '--state', 'dead', '--since', '2.1.2026', '--reason', 'r'], '--since must be'],
    [['plan', 'discard', '--until', '2026-02-30'], '--until must be'],
    [['list', '--since', '2026-01-31T12:00'], '--since must be'],
    [['discard', 'evt_good', '--yes'], 'say why with --reason'],
    [['verify-again', '--reason', 'r'], 'add --yes to act'],
    [['verify-again', '--code', 'none', '--reason', 'r', '--yes'], 'code must be'],
    [['replay-edited', 'evt_1', '-', '--reason', 'r'], 'add --yes to act'],
    [['replay-edited', 'evt_1', 'none.json', '--reason', 'r', '--yes'], 'there is no such file'],
    [['replay-edited', 'evt_1', '-', '--data', '--reason', 'r', '--yes'], 'the input is not JSON'],
    [['health', '--max-quarantined', 'few'], '--max-quarantined must be a whole number'],
  ])('%j is rejected', async (args, message) => {
    const printed = await rig.inbox(args)
    expect(printed).toMatchObject({ code: 2, stdout: '' })
    expect(printed.stderr).toContain(message)
  })

  it.each([
    [['replay', 'evt_unknown', '--reason', 'r'], 'no event evt_unknown is kept'],
    [['replay-edited', 'evt_unknown', '-', '--reason', 'r', '--yes'], 'no event evt_unknown is kept'],
    [
      ['verify-again', 'payments/00', '--reason', 'r', '--yes'],
      'no quarantined delivery payments/00 is kept',
    ],
  ])('%j finds nothing, which no help explains', async (args, message) => {
    const { code, stdout, stderr } = await rig.inbox(args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('--help')
  })
})
