import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReceiver, type Receiver, type Store } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { testSecret, testSender } from 'webhook-inbox/testing'
import { findEvents, readFilter, take } from '../../src/inbox/find-events.js'
import {
  cause,
  findGroup,
  resolveGroup,
  resolvePlan,
  resolveRun,
  shortIds,
} from '../../src/inbox/resolve-id.js'

const now = Date.parse('2026-03-04T05:06:07Z') / 1000
const none = { type: undefined, group: undefined, resource: undefined, since: undefined, until: undefined }
const filter = (given: object) => readFilter({ ...none, ...given }, now)
const refusal = (message: string) => expect.objectContaining({ name: 'UsageError', message })

describe('a filter', () => {
  it('has what the options say, and a root only where one is given', () => {
    expect(filter({})).toEqual({ ...none, state: undefined })
    expect(filter({})).not.toHaveProperty('root')
    const given = { state: 'dead', type: 'a.*', group: 'g', resource: 'r', root: 'evt_1' }
    expect(filter(given)).toEqual({ ...given, since: undefined, until: undefined })
  })

  it.each(['type', 'group', 'resource', 'root'])('takes no empty %s', (name) => {
    expect(() => filter({ [name]: '' })).toThrow(refusal(`--${name} must not be empty`))
  })

  it.each([
    ['0', '2026-03-04T05:06:07.000Z'],
    ['90', '2026-03-04T05:04:37.000Z'],
    ['1.5s', '2026-03-04T05:06:05.500Z'],
    ['15m', '2026-03-04T04:51:07.000Z'],
    ['2h', '2026-03-04T03:06:07.000Z'],
    ['7d', '2026-02-25T05:06:07.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31 12:00:01Z', '2026-01-31T12:00:01.000Z'],
    ['2026-01-31T12:00:01.5+02:00', '2026-01-31T10:00:01.500Z'],
    ['2026-01-31t12:00:01z', '2026-01-31T12:00:01.000Z'],
    ['2026-01-31T23:59:59.123456-11:30', '2026-02-01T11:29:59.123Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('takes the time %s', (text, time) => {
    expect(filter({ since: text }).since?.toISOString()).toBe(time)
    expect(filter({ until: text }).until?.toISOString()).toBe(time)
    expect(filter({ until: text }).since).toBeUndefined()
  })

  it.each([
    '',
    'now',
    '-1',
    '1w',
    'x2h',
    '2hx',
    '1.',
    '2.1.2026',
    '2026-02-30',
    '2026-02-30T00:00Z',
    '2026-13-01',
    '2026-01-31T12:00',
    '2026-01-31T25:00Z',
    '2026-01-31T12Z',
    '2026-01-31T12:00:00.Z',
    '2026-01-31T12:00:00+0200',
    '2026-01-31T12:00:00Zx',
    'x2026-01-31',
    '2026-01-31Z',
    '026-01-31',
    '2026-1-31',
    '+02026-01-31',
  ])('does not take the time %j', (text) => {
    for (const name of ['since', 'until']) {
      expect(() => filter({ [name]: text })).toThrow(
        refusal(`--${name} must be such as 2h, 7d or 2026-01-31T12:00:00Z`),
      )
    }
  })
})

const folder = mkdtempSync(join(import.meta.dirname, 'found-'))
const store = sqliteStore(join(folder, 'inbox.sqlite'))
const receiver: Receiver = createReceiver({
  secret: testSecret,
  endpoint: 'payments',
  store: store as Store<unknown>,
  queue: localQueue(),
  fallback() {},
  logger: false,
})
const audit = { reason: 'a test', actor: 'ada' }
const ids = Array.from({ length: 202 }, (_, at) => `evt_${at + 1}`)
beforeAll(async () => {
  const sender = testSender({ receiver })
  for (const id of ids) {
    await sender.send('transfer.settled', {}, { id })
  }
  const fail = async (id: string, message: string) =>
    store.inbox.markDead((await receiver.inspect(id))?.key ?? '', message)
  await fail('evt_1', 'the ledger is closed')
  await fail('evt_2', 'the bank is closed')
}, 60_000)
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

describe('events', () => {
  const working: (string | undefined)[] = []
  const print = { working: (text: string | undefined) => void working.push(text) }

  it('are found page by page, and each page is counted', async () => {
    working.length = 0
    const found = await take(findEvents(receiver, {}, print))
    expect(found.map(({ id }) => id)).toEqual(ids)
    expect(found.every(({ body }) => body.length === 0)).toBe(true)
    expect(working).toEqual([0, 100, 200].map((count) => `looking through the inbox: ${count} events`))
  })

  it('are found in the other order, and by a filter', async () => {
    const newest = await take(findEvents(receiver, { order: 'newest' }, print), 3)
    expect(newest.map(({ id }) => id)).toEqual(['evt_202', 'evt_201', 'evt_200'])
    const dead = await take(findEvents(receiver, { state: 'dead' }, print))
    expect(dead.map(({ id }) => id)).toEqual(['evt_1', 'evt_2'])
  })

  it.each([0, 1, 99, 100, 101, 202, 203])('are taken up to %i', async (limit) => {
    working.length = 0
    const found = await take(findEvents(receiver, {}, print), limit)
    expect(found.map(({ id }) => id)).toEqual(ids.slice(0, limit))
    expect(working).toHaveLength(Math.min(3, Math.ceil(limit / 100)))
  })
})

describe('the id of', () => {
  it('a group may be its beginning, with or without the endpoint', async () => {
    const groups = (await receiver.failures({})).map(({ group }) => group)
    expect(groups).toHaveLength(2)
    for (const group of groups) {
      for (const given of [group, cause(group), cause(group).slice(0, 6), group.slice(0, -2)]) {
        expect(await resolveGroup(receiver, given)).toBe(group)
      }
      expect(await findGroup(receiver, group)).toMatchObject({ group, count: 1 })
      expect(await findGroup(receiver, cause(group))).toBeUndefined()
    }
    await expect(resolveGroup(receiver, 'payments:')).rejects.toEqual(
      refusal(`payments: may be any of several groups: ${groups.join(', ')}; give more of the id`),
    )
    for (const given of ['', 'none', `${groups[0]}x`, groups[0]?.slice(1) as string]) {
      await expect(resolveGroup(receiver, given)).rejects.toEqual(
        refusal(`no group ${given} is kept; inbox failures lists the groups`),
      )
    }
  })

  it('a plan may be its beginning, with or without its kind', async () => {
    const plan = await receiver.plan({ action: 'discard' })
    for (const given of [plan.id, plan.id.slice(0, 12), plan.id.slice(5), plan.id.slice(5, 13)]) {
      expect(await resolvePlan(receiver, given)).toMatchObject({ id: plan.id, action: 'discard' })
    }
    for (const given of ['', 'plan-x', 'none\n']) {
      await expect(resolvePlan(receiver, given)).rejects.toEqual(
        refusal(
          `no plan ${given.replace('\n', '\\n')} is kept; inbox plans lists the plans, and inbox plan makes one`,
        ),
      )
    }
    const six = []
    for (let i = 0; i < 6; i++) {
      six.push((await receiver.plan({ action: 'replay' })).id)
    }
    await expect(resolvePlan(receiver, 'plan-')).rejects.toEqual(
      refusal(
        expect.stringMatching(/^plan- may be any of several plans: (plan-\S+, ){4}plan-\S+; give more/),
      ),
    )
  })

  it('a run may be its beginning, with or without its kind', async () => {
    const { id } = await receiver.run(await receiver.plan({ action: 'discard' }), audit)
    for (const given of [id, id.slice(0, 12), id.slice(4), id.slice(4, 12)]) {
      expect(await resolveRun(receiver, given)).toBe(id)
    }
    for (const given of ['', 'run-x', `${id}x`]) {
      await expect(resolveRun(receiver, given)).rejects.toEqual(
        refusal(`no run ${given} is kept; inbox runs lists the runs`),
      )
    }
    const other = await receiver.run(await receiver.plan({ action: 'discard' }), audit)
    await expect(resolveRun(receiver, 'run-')).rejects.toEqual(
      refusal(`run- may be any of several runs: ${[other.id, id].join(', ')}; give more of the id`),
    )
  })
})

describe('short ids', () => {
  it.each([
    [['abcd', 'abce', 'b'], 1, ['abcd', 'abce', 'b']],
    [['abcd', 'xbcd'], 1, ['a', 'x']],
    [['abcd', 'xbcd'], 2, ['ab', 'xb']],
    [['abcd', 'abxd', 'abcd'], 1, ['abc', 'abx', 'abc']],
    [['ab', 'abc'], 1, ['ab', 'abc']],
    [['abc'], 2, ['ab']],
    [[], 3, []],
  ])('of %j with at least %i characters are %j', (all, shown, expected) => {
    expect(all.map(shortIds(all, shown))).toEqual(expected)
  })

  it.each([
    ['payments:5274', '5274'],
    ['a:b:code', 'code'],
    ['code', 'code'],
  ])('of the group %s: its cause is %s', (group, expected) => {
    expect(cause(group)).toBe(expected)
  })
})
