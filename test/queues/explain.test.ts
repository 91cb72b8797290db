import { afterAll, expect, test } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import type { Inbox, StoredEvent } from '../../src/store/inbox.js'
import type { Store } from '../../src/store/store.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { postgresRig } from '../stores/postgres-rig.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

afterAll(removeFiles)

const audit = { reason: 'the ledger is down', actor: 'suite' }

const rig = postgresRig()
const stores = {
  SQLite() {
    const path = newFile()
    return () => sqliteStore(path) as Store<unknown> & { readonly inbox: Inbox<unknown> }
  },
  Postgres: () => () => rig.store() as Store<unknown> & { readonly inbox: Inbox<unknown> },
}

test.each(Object.entries(stores))(
  'on %s each state has its reason, and the first of the list where several hold',
  async (_, place) => {
    const open = place()
    const options = { secret: testSecret, logger: false as const, resource: () => 'r', fallback: () => {} }
    const receiver = createReceiver({ ...options, store: open(), queue: localQueue() })
    await receiver.start({ consume: false })
    const sender = testSender({ receiver })
    const send = async () => (await sender.send('transfer.settled')).eventId as string
    const reason = async (id: string) => (await receiver.explain(id)).reason
    const store = open()
    const { inbox } = store
    const { flow } = inbox
    const first = await send()
    const second = await send()
    const key = (await receiver.inspect(first))?.key as string

    expect(await reason('evt_missing')).toBe('unknown')
    expect(await reason(first)).toBe('no_worker')
    const limited = { types: [] as string[], resources: [] as string[] }
    const beat = { endpoint: 'default', id: 'w', process: 'host:1', version: '1.0.0', limited }
    await flow?.beat(beat)
    expect(await receiver.explain(first)).toMatchObject({ reason: 'due', workers: 1 })
    expect(await receiver.explain(second)).toMatchObject({ reason: 'waits_for_earlier', earlier: first })
    await inbox.postpone(key, 3600, 'Error: refused')
    expect(await receiver.explain(first)).toMatchObject({
      reason: 'waits_for_retry',
      lastError: 'Error: refused',
    })
    await flow?.beat({ ...beat, limited: { ...limited, types: ['transfer.settled'] } })
    expect(await reason(first)).toBe('rate_limited')
    await flow?.countFailure('default', 'transfer.settled', 'x', { failures: 1, retryAfterSeconds: 60 })
    expect(await receiver.explain(first)).toMatchObject({ reason: 'circuit_open', failures: 1 })
    await receiver.pause({ resource: 'r' }, audit)
    expect(await receiver.explain(first)).toMatchObject({
      reason: 'paused',
      pause: { resource: 'r', ...audit },
    })
    expect((await receiver.explain(first)).sentence).toContain('suite paused the resource r')
    const { endpoint, contentHash, type, createdAt, body } = (await receiver.inspect(first)) as StoredEvent
    const durations = { leaseSeconds: 60, retentionSeconds: 3600, workSeconds: 10, waitSeconds: 1 }
    const about = { endpoint, contentHash, type, createdAt, body, durations, resource: 'r' }
    let whileRunning: unknown
    await store
      .once({ ...about, key, id: first }, async () => {
        whileRunning = await receiver.explain(first)
        throw new Error('refused again')
      })
      .catch(() => {})
    expect(whileRunning).toMatchObject({ reason: 'running' })
    await inbox.markDead(key, 'given up')
    expect(await receiver.explain(first)).toMatchObject({ reason: 'dead', lastError: 'given up' })
    await inbox.quarantine({
      endpoint: 'default',
      code: 'invalid_json',
      eventId: 'evt_bad',
      bodyHash: 'f'.repeat(64),
      body: new Uint8Array([1]),
    })
    expect(await receiver.explain('evt_bad')).toMatchObject({ reason: 'quarantined', code: 'invalid_json' })
    expect(await reason(`default/${'f'.repeat(64)}`)).toBe('quarantined')
    const last = (await receiver.inspect(second)) as StoredEvent
    expect((await store.once({ ...last, durations, resource: 'r' }, async () => {})).state).toBe('done')
    expect(await receiver.explain(second)).toMatchObject({ reason: 'done', doneAt: expect.any(String) })
    await receiver.stop()
    await store.close()
  },
)
