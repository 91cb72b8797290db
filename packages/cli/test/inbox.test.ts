import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Receiver } from 'webhook-inbox'
import { deliveryOf, testSender } from 'webhook-inbox/testing'
import { builtProgram } from './built.js'
import { webhookInbox } from './in-process.js'

const file = (name: string) => fileURLToPath(new URL(`programs/${name}`, import.meta.url))
const typescript = file('receiver.ts')
const secret = 'whsec_of_the_inbox_tests'

let folder: string
let program: string
/** The running program, whose inbox is operated from another process. */
let running: Receiver
let database: string

beforeAll(async () => {
  program = await builtProgram()
  folder = await mkdtemp(join(tmpdir(), 'inbox-'))
  database = join(folder, 'inbox.db')
  process.env.INBOX_DATABASE = database
  process.env.WEBHOOK_INBOX_CLI = '1'
  running = (await import('./programs/receiver.js')).receiver
  await running.start()
  const sender = testSender({ receiver: running, secret })
  await sender.send('transfer.settled', {}, { id: 'evt_good' })
  for (const id of ['evt_1', 'evt_2', 'evt_3']) {
    await sender.send('transfer.failed', { transferId: `tr_${id}` }, { id })
  }
  await sender.deliver(await deliveryOf('not JSON', { secret }))
  await until(async () => (await running.health()).counts.dead === 3)
})
afterAll(async () => {
  await running?.stop()
  await rm(folder, { recursive: true })
})

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** As an operator does: another process than the one that receives. */
function inbox(args: readonly string[], receiver = typescript) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [program, 'inbox', ...args, '--receiver', receiver],
      { env: { ...process.env, INBOX_DATABASE: database } },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
    child.stdin?.end()
  })
}

const jsonLines = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const ids = (text: string) => jsonLines(text).map(({ id }) => id)

describe('inbox', () => {
  it('lists events of a TypeScript program as JSON lines, without bodies, and logs to stderr', async () => {
    const { code, stdout, stderr } = await inbox(['list'])
    expect(code).toBe(0)
    expect(ids(stdout)).toEqual(['evt_good', 'evt_1', 'evt_2', 'evt_3'])
    expect(jsonLines(stdout)[0]).toMatchObject({
      state: 'done',
      type: 'transfer.settled',
      bytes: expect.any(Number),
    })
    expect(jsonLines(stdout)[0]).not.toHaveProperty('body')
    expect(stderr).toContain('this program logs when it is loaded')
  })

  it('loads a JavaScript module with a default export too', async () => {
    expect(ids((await inbox(['list', '--limit', '1'], file('receiver.mjs'))).stdout)).toEqual(['evt_good'])
  })

  it('filters by state, type and time', async () => {
    expect(ids((await inbox(['list', '--state', 'done'])).stdout)).toEqual(['evt_good'])
    expect(ids((await inbox(['list', '--type', 'transfer.*', '--since', '1h'])).stdout)).toHaveLength(4)
    expect(ids((await inbox(['list', '--type', 'transfer.failed', '--limit', '2'])).stdout)).toEqual([
      'evt_1',
      'evt_2',
    ])
    expect(ids((await inbox(['list', '--since', '2999-01-01'])).stdout)).toEqual([])
  })

  it('prints tables in a terminal', async () => {
    const args = ['inbox', 'dead', '--receiver', typescript]
    const { stdout } = await webhookInbox(args, { columns: 140, env: { NO_COLOR: '1' } })
    expect(stdout).toMatch(/^RECEIVED +STATE +TRIES +TYPE +EVENT +LAST ERROR\n/)
    expect(stdout).toMatch(
      /dead +1 +transfer\.failed +evt_1 +handler_failed: Error: the ledger refuses tr_evt_1\n/,
    )
  })

  it('lists dead events', async () => {
    expect(ids((await inbox(['dead'])).stdout)).toEqual(['evt_1', 'evt_2', 'evt_3'])
  })

  it('shows one event with its body, and says with status 1 that one is not kept', async () => {
    const { stdout } = await inbox(['show', 'evt_1'])
    expect(JSON.parse(JSON.parse(stdout).body)).toMatchObject({
      id: 'evt_1',
      data: { transferId: 'tr_evt_1' },
    })
    expect(await inbox(['show', 'evt_unknown'])).toMatchObject({ code: 1, stdout: '' })
  })

  it('lists what is in quarantine, and discards it by its key', async () => {
    const [delivery] = jsonLines((await inbox(['quarantine'])).stdout)
    expect(delivery).toMatchObject({ code: 'invalid_json', deliveries: 1, bytes: 8 })
    const args = ['discard', delivery.key, '--reason', 'a test']
    expect((await inbox(args)).code).toBe(2)
    expect((await inbox([...args, '--yes'])).code).toBe(0)
    expect((await inbox(['quarantine'])).stdout).toBe('')
  })

  it('health fails a probe over its limits', async () => {
    const { code, stdout } = await inbox(['health', '--max-age', '5m', '--max-dead', '3'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).counts).toMatchObject({ done: 1, dead: 3 })
    const failing = await inbox(['health', '--max-dead', '2'])
    expect(failing.code).toBe(1)
    expect(failing.stderr).toContain('3 events are dead, more than 2')
  })

  it('prunes, and migrates by what the module exports', async () => {
    expect((await inbox(['prune'])).stdout).toBe('0 events and deliveries deleted.\n')
    expect(await inbox(['migrate'])).toMatchObject({ code: 0, stdout: 'The tables are up to date.\n' })
    expect((await inbox(['migrate'], file('receiver.mjs'))).stderr).toContain('exports no migrate')
    expect((await inbox(['migrate', '--print-sql', '--schema', 'hooks'])).stdout).toMatch(
      /CREATE SCHEMA IF NOT EXISTS "?hooks/,
    )
  })
})

describe('inbox replay', () => {
  it('shows how many match, and does nothing without --yes where no one can answer', async () => {
    const args = ['replay', '--state', 'dead', '--reason', 'fixed']
    const refused = await inbox(args)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('3 events match.')
    expect(refused.stderr).toContain('add --yes')
    expect((await inbox([...args, '--dry-run'])).code).toBe(0)
    expect((await running.health()).counts.dead).toBe(3)
  })

  it('shows one event with --dry-run, and does not run it', async () => {
    const { code, stdout, stderr } = await inbox(['replay', 'evt_1', '--reason', 'look', '--dry-run'])
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain('evt_1 is dead.')
    expect((await running.inspect('evt_1'))?.generation).toBe(0)
  })

  it('does not run a done event a second time without --yes', async () => {
    const { code, stderr } = await inbox(['replay', 'evt_good', '--reason', 'by mistake'])
    expect(code).toBe(2)
    expect(stderr).toContain('add --yes')
    expect((await running.inspect('evt_good'))?.generation).toBe(0)
  })

  it('runs one event again', async () => {
    process.env.IS_WELL = '1'
    const { code, stdout } = await inbox(['replay', 'evt_1', '--reason', 'the ledger is fixed'])
    expect(code).toBe(0)
    expect(jsonLines(stdout)).toEqual([{ id: 'evt_1', generation: 1 }])
    await until(async () => (await running.inspect('evt_1'))?.state === 'done')
  })

  it('runs all that match', async () => {
    process.env.IS_WELL = '1'
    const args = [
      'replay',
      '--state',
      'dead',
      '--type',
      'transfer.*',
      '--since',
      '1h',
      '--reason',
      'fixed',
      '--yes',
    ]
    expect(ids((await inbox(args)).stdout)).toEqual(['evt_2', 'evt_3'])
    await until(async () => (await running.health()).counts.done === 4)
  })

  it('takes the actor from the name of the user', async () => {
    const { readAudit } = await import('../src/inbox/audit.js')
    expect(readAudit({ reason: 'r', actor: undefined })).toEqual({ reason: 'r', actor: userInfo().username })
    expect(readAudit({ reason: 'r', actor: 'the night shift' }).actor).toBe('the night shift')
  })

  it.each([
    [['replay', 'evt_1'], 2, 'say why with --reason'],
    [['replay', '--reason', 'r'], 2, 'say which ones: --state dead'],
    [['replay', 'evt_1', '--state', 'dead', '--reason', 'r'], 2, 'not both'],
    [['replay', 'evt_unknown', '--reason', 'r'], 2, 'no event evt_unknown is kept'],
    [['replay', '--state', 'dead', '--since', 'now', '--reason', 'r'], 2, '--since must be'],
    [['discard', 'evt_good', '--reason', 'r', '--yes'], 2, 'dead event'],
    [['discard', 'evt_good', '--yes'], 2, 'say why with --reason'],
  ])('%j is refused', async (args, code, message) => {
    const printed = await inbox(args)
    expect(printed).toMatchObject({ code, stdout: '' })
    expect(printed.stderr).toContain(message)
  })
})

describe('a module', () => {
  it.each([
    ['missing.ts', undefined, 'there is no such file'],
    ['empty.mjs', 'export {}', 'must export its receiver'],
    ['broken.ts', 'export const receiver: = 1', 'cannot be loaded'],
    ['throws.mjs', 'throw new Error("no database url")', 'no database url'],
  ])('%s is refused with the reason', async (name, text, message) => {
    const path = join(folder, name)
    if (text !== undefined) {
      await writeFile(path, text)
    }
    const { code, stderr } = await inbox(['list'], path)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('must be named', async () => {
    const { code, stderr } = await webhookInbox(['inbox', 'list'])
    expect(code).toBe(2)
    expect(stderr).toContain('--receiver FILE')
  })

  it('whose store cannot be reached is status 3', async () => {
    const path = join(folder, 'unreachable.mjs')
    const text = `export const receiver = { list: fail, inspect: fail, replay: fail, health: fail, prune: fail, async stop() {} }
      async function fail() { throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) }`
    await writeFile(path, text)
    const { code, stderr } = await inbox(['health'], path)
    expect(code).toBe(3)
    expect(stderr).toContain('the store cannot be reached')
  })
})
