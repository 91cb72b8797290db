import { describe, expect, it } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { localQueue } from '../../src/queues/local.js'
import type { Receiver } from '../../src/receiver.js'
import type { FlowStore } from '../../src/store/flow-store.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { version } from '../../src/version.js'
import { open } from '../stores/sqlite-rig.js'
import { accept, audit, invalid, operationsRig, patiently, wrongState } from './operations-rig.js'

const { file, receiverOf } = operationsRig()

describe('the pauses of an endpoint', () => {
  it('are at most a thousand, and the error says what to do then', async () => {
    const receiver = receiverOf('full')
    await receiver.paused()
    const database = open(file())
    database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
      INSERT INTO webhook_inbox_pauses (endpoint, kind, name, reason, actor, paused_at)
      SELECT 'full', 'type', 'type ' || i, 'a ticket', 'an operator', 0 FROM n`)
    database.close()
    expect(await receiver.pause({ type: 'the last' }, audit)).toBe(true)
    await expect(receiver.pause({ type: 'one more' }, audit)).rejects.toMatchObject({
      ...wrongState,
      message: expect.stringContaining(
        'the endpoint has 1000 pauses; resume some of them, or pause the endpoint',
      ),
    })
    expect(await receiver.paused()).toHaveLength(1000)
    expect(await receiverOf('empty').pause({ type: 'one more' }, audit)).toBe(true)
    expect(await receiver.paused({ allEndpoints: true })).toHaveLength(1001)
    expect(await receiver.resume({ type: 'the last' }, audit)).toBe(true)
    expect(await receiver.pause({ type: 'one more' }, audit)).toBe(true)
  })

  it.each<[string, (receiver: Receiver) => Promise<unknown>, string]>([
    ['an empty type', (receiver) => receiver.pause({ type: '' }, audit), 'type must be a string of 1 to 512'],
    [
      'a resource that is too long',
      (receiver) => receiver.pause({ resource: 'r'.repeat(513) }, audit),
      'resource must be a string of 1 to 512',
    ],
    ['no text', (receiver) => receiver.resume({ type: 5 } as never, audit), 'type must be a string'],
    [
      'both',
      (receiver) => receiver.pause({ type: 'a', resource: 'r' }, audit),
      'pause takes a type or a resource, not both',
    ],
    [
      'both to resume',
      (receiver) => receiver.resume({ type: 'a', resource: 'r' }, audit),
      'resume takes a type or a resource, not both',
    ],
    ['no reason', (receiver) => receiver.pause({}, { ...audit, reason: '' }), 'pause needs a reason'],
    ['no actor', (receiver) => receiver.resume({}, { ...audit, actor: '' }), 'resume needs an actor'],
  ])('are rejected with %s', async (_, change, message) => {
    const receiver = receiverOf('checked')
    await expect(change(receiver)).rejects.toMatchObject({
      ...invalid,
      message: expect.stringContaining(message),
    })
    expect(await receiver.paused()).toEqual([])
  })

  it('are of a type or a resource of up to 512 characters', async () => {
    const receiver = receiverOf('long')
    for (const target of [{ type: 't'.repeat(512) }, { resource: 'r'.repeat(512) }]) {
      expect(await receiver.pause(target, audit)).toBe(true)
      expect(await receiver.pause(target, audit)).toBe(false)
      expect(await receiver.paused()).toMatchObject([target])
      expect(await receiver.resume(target, audit)).toBe(true)
      expect(await receiver.resume(target, audit)).toBe(false)
    }
  })

  it.each([
    ['pause', 'unknown_option', (receiver: Receiver) => receiver.pause({ types: 'a' } as never, audit)],
    ['paused', 'unknown_option', (receiver: Receiver) => receiver.paused({ type: 'a' } as never)],
    ['resume', 'unknown_option', (receiver: Receiver) => receiver.resume({}, audit, { kind: 1 } as never)],
  ])('%s rejects an option that it does not know', async (verb, code, call) => {
    const message = expect.stringContaining(`is not an option of ${verb}`)
    await expect(call(receiverOf('checked'))).rejects.toMatchObject({ code, message })
  })
})

it('the queue is told when an operator ends a pause of another process, and only then', async () => {
  let resumed = 0
  const queue = {
    guarantee: '',
    consume: async () => async () => {},
    enqueue: async () => {},
    resumed: () => void resumed++,
  }
  const receiver = receiverOf('told', { queue })
  await receiver.resume({}, audit)
  expect(resumed).toBe(0)
  await receiverOf('told').pause({}, audit)
  await receiver.resume({}, audit)
  expect(resumed).toBe(1)
})

it.each([
  ['without a queue', undefined],
  ['with a queue that searches by itself', { guarantee: '', consume: async () => async () => {} }],
])('a pause ends without an error %s', async (_, queue) => {
  const lines: string[] = []
  const logger = { info() {}, warn() {}, error: (line: string) => void lines.push(line) }
  await receiverOf('quiet').pause({}, audit)
  expect(await receiverOf('quiet', { queue, logger }).resume({}, audit)).toBe(true)
  expect(lines).toEqual([])
})

it('a pause, and its end, is no error if what is held back cannot be read after the commit', async () => {
  const { inbox, ...store } = sqliteStore(file())
  const flow = { ...inbox.flow, holds: () => Promise.reject(new StoreError('it is down')) }
  let resumed = 0
  const queue = { guarantee: '', consume: async () => async () => {}, resumed: () => void resumed++ }
  const receiver = receiverOf('deaf', { store: { ...store, inbox: { ...inbox, flow } }, queue })
  expect(await receiver.pause({}, audit)).toBe(true)
  expect(await receiver.paused()).toMatchObject([{ endpoint: 'deaf', ...audit }])
  expect(await receiver.resume({}, audit)).toBe(true)
  expect(resumed).toBe(1)
})

it('a circuit is listed while it is open, and not while its failures are only counted', async () => {
  const receiver = receiverOf('circuits')
  const flow = sqliteStore(file()).inbox.flow as FlowStore
  await flow.countFailure('circuits', 'counted', 'x', { failures: 2, retryAfterSeconds: 60 })
  expect(await receiver.openCircuits()).toEqual([])
  await flow.countFailure('circuits', 'open', 'x', { failures: 1, retryAfterSeconds: 60 })
  expect(await receiver.openCircuits()).toMatchObject([{ type: 'open', failures: 1, isHolding: true }])
  expect(await receiverOf('other').openCircuits()).toEqual([])
})

it('a process that runs events is listed with its version', async () => {
  const receiver = receiverOf('running', { queue: localQueue() })
  await receiver.start()
  await accept(receiver, 'evt_1')
  await expect.poll(() => receiver.workers(), patiently).toMatchObject([{ endpoint: 'running', version }])
  expect(await receiver.versions()).toMatchObject([{ version }])
  expect(await receiverOf('other').workers()).toEqual([])
  expect(await receiverOf('other').versions()).toEqual([])
  await receiver.stop()
})
