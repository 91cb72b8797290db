import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import type { ClientOf } from '../../src/stores/postgres.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

type Tx = ClientOf<pg.Pool>

const misused = (message: string | RegExp) =>
  expect.objectContaining({ code: 'transaction_misused', message: expect.stringMatching(message) })
const insert = 'INSERT INTO effects VALUES ($1)'

/** Runs two events after each other on one client. The first keeps its `tx`, which `act` uses while the second runs. */
async function lateUse(end: 'resolves' | 'rejects', act: (tx: Tx) => Promise<unknown>) {
  const store = rig.store({ max: 1 })
  let kept: Tx | undefined
  const first = store.once(newEvent(), async ({ tx }) => {
    kept = tx
    if (end === 'rejects') {
      throw new Error('the handler fails')
    }
  })
  await first.catch(() => {})
  const second = await store.once(newEvent(), () => act(kept as Tx))
  expect(second.state).toBe('done')
}

describe('tx of a handler that has settled', () => {
  test.each(['resolves', 'rejects'] as const)('writes nothing after a handler that %s', async (end) => {
    const late = newEvent()
    await lateUse(end, async (tx) => {
      await expect(tx.query(insert, [late.key])).rejects.toEqual(misused('after the handler had settled'))
    })
    expect(await rig.effects(late)).toBe(0)
  })

  test('tells a callback, and a query object', async () => {
    await lateUse('resolves', async (tx) => {
      const told = await new Promise((resolve) => {
        ;(tx.query as (...values: unknown[]) => void)('SELECT 1', [], resolve)
      })
      expect(told).toEqual(misused('after the handler had settled'))
      expect(() => tx.query(new pg.Query('SELECT 1'))).toThrow(misused('after the handler had settled'))
    })
  })

  test('counts a handler as settled at its first failure, whatever it left running', async () => {
    const [event, word] = [newEvent(), newEvent()]
    const store = rig.store({ max: 1 })
    let late: Promise<unknown> | undefined
    const failed = store.once(event, async ({ tx }) => {
      late = sleep(50).then(() => tx.query(insert, [word.key]))
      late.catch(() => {})
      await Promise.all([late, Promise.reject(new Error('one of two'))])
    })
    await expect(failed).rejects.toThrow('one of two')
    const other = await store.once(newEvent(), () => sleep(200))
    expect(other.state).toBe('done')
    await expect(late).rejects.toEqual(misused('await what calls it'))
    expect(await rig.effects(word)).toBe(0)
  })
})

describe('tx of a running handler', () => {
  test.each([
    'COMMIT',
    'commit',
    ' BEGIN',
    'Start Transaction',
    '-- why\nROLLBACK',
    '/* why */ END',
    '/* why /* and how */ */ COMMIT',
    '; ABORT',
    'PREPARE TRANSACTION $$a$$',
    'ROLLBACK WORK',
  ])('rejects %s, and the failed event is not done', async (statement) => {
    const event = newEvent()
    const failed = rig.store().once(event, async ({ tx }) => {
      await tx.query(insert, [event.key])
      await tx.query({ text: statement })
    })
    await expect(failed).rejects.toEqual(misused(/tx takes no .*use SAVEPOINT/))
    expect(await rig.effects(event)).toBe(0)
  })

  test('takes a statement after many comments, and reads none of it as a comment', async () => {
    const [event, comment] = [newEvent(), '*/ commit']
    const { state } = await rig.store().once(event, async ({ tx }) => {
      const began = performance.now()
      await tx.query(`${'/* a line of a file of SQL */\n'.repeat(24)}SELECT 1`)
      expect(performance.now() - began).toBeLessThan(500)
      await tx.query(`/* why */ INSERT INTO effects VALUES ('${comment}')`)
    })
    expect(state).toBe('done')
    expect(await rig.effects({ ...event, key: comment })).toBe(1)
  })

  test('takes savepoints', async () => {
    const [event, undone] = [newEvent(), newEvent()]
    const { state } = await rig.store().once(event, async ({ tx }) => {
      await tx.query('SAVEPOINT before')
      await tx.query(insert, [undone.key])
      await tx.query('ROLLBACK TO before')
      await tx.query('ROLLBACK WORK TO SAVEPOINT before')
      await tx.query('RELEASE SAVEPOINT before')
      await tx.query(insert, [event.key])
    })
    expect(state).toBe('done')
    expect([await rig.effects(event), await rig.effects(undone)]).toEqual([1, 0])
  })

  test('cannot be released, because another event would get its client', async () => {
    const event = newEvent()
    const failed = rig.store().once(event, async ({ tx }) => {
      await tx.query(insert, [event.key])
      tx.release()
    })
    await expect(failed).rejects.toEqual(misused('the store'))
    expect(await rig.effects(event)).toBe(0)
  })

  test('is a client of pg in every other way', async () => {
    const { value } = (await rig.store().once(newEvent(), async ({ tx }) => {
      const heard: string[] = []
      tx.on('notice', ({ message }) => heard.push(message ?? ''))
      await tx.query("DO $$ BEGIN RAISE NOTICE 'heard'; END $$")
      return { heard, isClient: tx instanceof pg.Client, quoted: tx.escapeLiteral("it's") }
    })) as { value: unknown }
    expect(value).toEqual({ heard: ['heard'], isClient: true, quoted: "'it''s'" })
  })
})

test.each([
  'SAVEPOINT webhook_inbox_claim',
  'savepoint "webhook_inbox_claim"',
  'INSERT INTO effects VALUES (1); SAVEPOINT WEBHOOK_INBOX_CLAIM',
  'ROLLBACK TO SAVEPOINT webhook_inbox_claim',
  'ROLLBACK TO webhook_inbox_claim',
  'RELEASE webhook_inbox_claim',
])('tx does not take the savepoint of the store: %s', async (text) => {
  const event = { ...newEvent(), isKept: true }
  const { inbox, once } = rig.store({ max: 1 })
  await inbox?.accept(event, async () => {})
  const run = once(event, async ({ tx }) => {
    await tx.query(insert, [event.key])
    await tx.query(text)
    throw new Error('the handler fails')
  })
  await expect(run).rejects.toEqual(misused('webhook_inbox_claim: the name belongs to the store'))
  expect(await rig.effects(event)).toBe(0)
})

test('tx takes a text that only names the savepoint of the store', async () => {
  const run = rig.store().once(newEvent(), async ({ tx }) => {
    const { rows } = await tx.query("SELECT 'webhook_inbox_claim' AS text")
    return rows
  })
  expect(await run).toMatchObject({ value: [{ text: 'webhook_inbox_claim' }] })
})
