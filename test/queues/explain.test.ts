import { afterAll, expect, test } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

afterAll(removeFiles)

const audit = { reason: 'the ledger is down', actor: 'suite' }

test('each state has its reason, and the first of the list where several hold', async () => {
  const path = newFile()
  const options = { secret: testSecret, logger: false as const, resource: () => 'r', fallback: () => {} }
  const receiver = createReceiver({ ...options, store: sqliteStore(path), queue: localQueue() })
  await receiver.start({ consume: false })
  const sender = testSender({ receiver })
  const send = async () => (await sender.send('transfer.settled')).eventId as string
  const reason = async (id: string) => (await receiver.explain(id)).reason
  const { inbox } = sqliteStore(path)
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
  await receiver.stop()
})
