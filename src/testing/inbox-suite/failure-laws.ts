import assert from 'node:assert/strict'
import { type FailureGroup, type FailureLog, failedAgain } from '../../store/failure-log.js'
import type { FailureCause } from '../../store/fingerprint.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { capabilityOf } from './capabilities.js'
import { accepted, anyBytes, fail, finish, inboxOf, kept, newEvent, nothing } from './stored-event.js'

const audit = { reason: 'known to the bank', actor: 'suite' }

/** Laws of the groups of failures. */
export const failureLaws = <Tx>(): Laws<Store<Tx>> => ({
  async 'failures of one cause are one group, whatever their ids, on every path'({ make }) {
    const [here, there] = [await make(), await make()]
    const [failures, endpoint] = [failuresOf(here), freshKey()]
    const [running, postponed, dead, born] = [
      await accepted(here, { endpoint }),
      await accepted(here, { endpoint, type: 'law.broken' }),
      await accepted(here, { endpoint }),
      newEvent({ endpoint }),
    ]
    await fail(here, running, Object.assign(new Error('no account 17'), { stack: '' }))
    await inboxOf(there).postpone(postponed.key, 60, 'Error: no account 18')
    await inboxOf(here).markDead(dead.key, 'Error: no account 19')
    await inboxOf(there).acceptDead(born, 'invalid_data', 'the amount is missing')
    await inboxOf(here).quarantine(delivery(endpoint))
    await inboxOf(there).quarantine(delivery(endpoint))

    const groups = byTitle(await failures.groups({ endpoint }))
    assert.deepEqual(Object.keys(groups).sort(), [
      'Error: no account *',
      'invalid_data: the amount is missing',
      'invalid_json',
    ])
    const [account, data, json] = [
      groups['Error: no account *'] as FailureGroup,
      groups['invalid_data: the amount is missing'] as FailureGroup,
      groups.invalid_json as FailureGroup,
    ]
    assert.deepEqual(countsOf(account), { count: 3, dead: 1, failed: 2, quarantined: 0 })
    assert.deepEqual(countsOf(data), { count: 1, dead: 1, failed: 0, quarantined: 0 })
    assert.deepEqual(countsOf(json), { count: 2, dead: 0, failed: 0, quarantined: 2 })
    assert.deepEqual([...account.types].sort(), ['law.broken', 'law.tried'])
    assert.equal(account.example, dead.id)
    assert.deepEqual([data.code, json.code], ['invalid_data', 'invalid_json'])
    assert.ok(groups.invalid_json?.example.startsWith(`${endpoint}/`))
    for (const event of [running, postponed, dead]) {
      assert.equal((await kept(there, event)).group, account.group)
    }
    assert.equal((await inboxOf(here).list({ endpoint, group: account.group })).length, 3)
    assert.deepEqual((await failures.groups({ endpoint: freshKey() })).length, 0)
  },

  async 'an event leaves its group when it is done or replayed'({ make }) {
    const store = await make()
    const [failures, endpoint] = [failuresOf(store), freshKey()]
    const [done, replayed] = [await accepted(store, { endpoint }), await accepted(store, { endpoint })]
    await inboxOf(store).postpone(done.key, 0, 'the rail is down')
    await inboxOf(store).markDead(replayed.key, 'the rail is down')
    await finish(store, done)
    await inboxOf(store).requeue(replayed.key, audit, nothing)
    for (const event of [done, replayed]) {
      assert.equal((await kept(store, event)).group, undefined)
    }
    assert.deepEqual(await failures.groups({ endpoint }), [], 'a group that holds nothing is listed')
    const [group] = await failures.groups({ endpoint, empty: true })
    assert.equal(group?.count, 0)
    assert.deepEqual(await inboxOf(store).list({ endpoint, group: group?.group }), [])
    const failed = await accepted(store, { endpoint })
    await inboxOf(store).postpone(failed.key, 0, 'the rail is down')
    assert.equal((await failures.groups({ endpoint }))[0]?.count, 1)
    await inboxOf(store).quarantine(delivery(endpoint))
    assert.equal((await failures.groups({ endpoint })).length, 2, 'a quarantined delivery is something')
  },

  async 'a resolved group is open again after its next failure, an acknowledged one when an operator opens it'({
    make,
  }) {
    const store = await make()
    const [failures, endpoint] = [failuresOf(store), freshKey()]
    const failOnce = async () =>
      inboxOf(store).markDead((await accepted(store, { endpoint })).key, 'the rail is down')
    const only = async () => (await failures.groups({ endpoint }))[0] as FailureGroup
    await failOnce()
    const { group, state, firstSeenAt } = await only()
    assert.equal(state, 'open')
    for (const [given, then] of [
      ['resolved', 'open'],
      ['acknowledged', 'acknowledged'],
      ['open', 'open'],
    ] as const) {
      assert.equal(await failures.setState(endpoint, group, given, audit), true)
      assert.equal((await only()).state, given)
      assert.equal((await failures.groups({ endpoint, state: 'open' })).length, given === 'open' ? 1 : 0)
      await failOnce()
      assert.equal((await only()).state, then)
    }
    await failures.setState(endpoint, group, 'resolved', audit)
    await failures.setState(endpoint, group, 'open', audit)
    assert.equal((await only()).state, 'open')
    assert.equal((await only()).firstSeenAt, firstSeenAt)
    assert.equal(await failures.setState(endpoint, group, 'open', { ...audit, reason: 'again' }), true)
    assert.equal(await failures.setState(freshKey(), group, 'resolved', audit), false)
    assert.equal(await failures.setState(endpoint, freshKey(), 'resolved', audit), false)
    const entries = await inboxOf(store).auditLog?.list({ endpoint })
    assert.deepEqual(
      entries?.map(({ action, subject, actor }) => [action, subject, actor]),
      [
        ...['reopen', 'resolve', 'reopen', 'acknowledge'].map((word) => [`${word}Group`, group, audit.actor]),
        ['reopenGroup', group, failedAgain.actor],
        ['resolveGroup', group, audit.actor],
      ],
    )
  },

  async 'groups after one of another endpoint tell nothing of it'({ make }) {
    const store = await make()
    const [failures, endpoint, other] = [failuresOf(store), freshKey(), freshKey()]
    for (const each of [endpoint, other, endpoint]) {
      const { key } = await accepted(store, { endpoint: each })
      await inboxOf(store).markDead(key, `of ${each} ${key}`, cause(`cause ${key.length} ${freshKey()}`))
    }
    const [theirs] = await failures.groups({ endpoint: other })
    const after = async (group: string) => (await failures.groups({ endpoint, after: group })).length
    assert.ok(theirs)
    assert.equal(await after(theirs.group), await after(freshKey()))
  },

  async 'a sender who steers the causes gets a limited number of groups'({ make }) {
    const store = await make()
    const [failures, endpoint] = [failuresOf(store), freshKey()]
    const most = 200
    for (let i = 0; i < most + 20; i++) {
      const { key } = await accepted(store, { endpoint })
      await inboxOf(store).markDead(key, 'steered', cause(`cause ${i}`))
    }
    await inboxOf(store).quarantine(delivery(endpoint))
    const groups = await failures.groups({ endpoint, limit: 1000 })
    assert.equal(groups.length, most + 2)
    const titles = byTitle(groups)
    assert.equal(titles['other causes']?.count, 20)
    assert.equal(titles.invalid_json?.quarantined, 1)
    const other = titles['other causes']?.group
    const [last] = await inboxOf(store).list({ endpoint, group: other, limit: 1 })
    const { attempts } = (await inboxOf(store).read(last?.key ?? '')) ?? {}
    assert.equal(attempts?.[0]?.group, other)
    const paged: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await failures.groups({ endpoint, limit: 64, after })
      if (page.length === 0) {
        break
      }
      paged.push(...page.map(({ group }) => group))
      after = paged.at(-1)
    }
    assert.deepEqual(
      paged,
      groups.map(({ group }) => group),
    )
  },

  async 'many failures of one cause at once are all counted'({ make }) {
    const stores = [await make(), await make()] as const
    const [failures, endpoint] = [failuresOf(stores[0]), freshKey()]
    const events = await Promise.all(Array.from({ length: 40 }, () => accepted(stores[0], { endpoint })))
    const failAll = (at: number) =>
      Promise.allSettled(
        events.map(({ key }, i) => inboxOf(stores[i % 2 ? 0 : 1]).markDead(key, `Error: failed ${at} ${i}`)),
      )
    // A store may reject one while another one makes the group. The queue then notes the failure again.
    for (let at = 0; (await failAll(at)).some(({ status }) => status === 'rejected'); at++) {
      assert.ok(at < 20)
    }
    const groups = await failures.groups({ endpoint })
    assert.deepEqual(
      groups.map(({ dead }) => dead),
      [events.length],
    )
  },

  async 'only groups that hold nothing are pruned, and only when they were not seen for long'({ make }) {
    const store = await make()
    const [failures, endpoint] = [failuresOf(store), freshKey()]
    const event = await accepted(store, { endpoint })
    await inboxOf(store).markDead(event.key, 'the rail is down')
    await inboxOf(store).quarantine(delivery(endpoint))
    const failed = await accepted(store, { endpoint })
    await inboxOf(store).postpone(failed.key, 60, 'the bank is away')
    const count = async () => (await failures.groups({ endpoint, empty: true })).length
    const pruneAll = async (seconds: number) => {
      while ((await failures.prune(seconds, 1000)) > 0) {}
    }
    await pause(0.05)
    await pruneAll(0.001)
    assert.equal(await count(), 3, 'each holds something')
    await inboxOf(store).discard(event.key, audit)
    await pruneAll(3600)
    assert.equal(await count(), 3, 'each was seen within the hour')
    await pruneAll(0.001)
    assert.equal(await count(), 2)
  },

  async 'an argument of the wrong type is rejected by the groups'({ make }) {
    const failures = failuresOf(await make())
    const isRejected = (error: unknown) => (error as { code?: unknown }).code === 'invalid_option'
    const wrong = [
      {},
      { endpoint: 1 },
      { allEndpoints: true, state: 'closed' },
      { allEndpoints: true, limit: -1 },
      { allEndpoints: true, empty: 1 },
    ]
    for (const query of wrong) {
      await assert.rejects(failures.groups(query as never), isRejected)
    }
    await assert.rejects(failures.setState('a', 'b', 'closed' as never, audit), isRejected)
    await assert.rejects(failures.setState('a', 1 as never, 'resolved', audit), isRejected)
    await assert.rejects(failures.prune(Number.NaN, 1), isRejected)
  },
})

const failuresOf = (store: Store<unknown>): FailureLog => capabilityOf(store, 'failures')

const delivery = (endpoint: string) =>
  ({ endpoint, code: 'invalid_json', bodyHash: freshKey(), body: anyBytes }) as const

const cause = (title: string): FailureCause => ({ fingerprint: freshKey().slice(0, 24), title })

const byTitle = (groups: readonly FailureGroup[]): Record<string, FailureGroup> =>
  Object.fromEntries(groups.map((group) => [group.title, group]))

const countsOf = ({ count, dead, failed, quarantined }: FailureGroup) => ({
  count,
  dead,
  failed,
  quarantined,
})
