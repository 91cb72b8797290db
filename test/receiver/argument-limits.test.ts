import { describe, expect, it } from 'vitest'
import type { Receiver } from '../../src/receiver.js'
import { delivery, settled } from './deliver.js'
import { throwProxy } from './edited-rig.js'
import { accept, audit, conflict, invalid, noTarget, operationsRig, wrongState } from './operations-rig.js'

const { receiverOf } = operationsRig()

const rejected = async (call: Promise<unknown>, text: string) =>
  expect(call).rejects.toMatchObject({ ...invalid, message: expect.stringContaining(text) })

const unreadable = () => new Proxy({}, { get: throwProxy, ownKeys: throwProxy, getPrototypeOf: throwProxy })

describe('an operation names what it cannot use', () => {
  it.each<[string, (receiver: Receiver) => Promise<unknown>]>([
    ['eventId must be a string that is not empty', (receiver) => receiver.inspect('')],
    ['eventId must be a string that is not empty', (receiver) => receiver.audits({ eventId: '' })],
    ['subject must be a string that is not empty', (receiver) => receiver.audits({ subject: '' })],
    ['run must be a string that is not empty', (receiver) => receiver.audits({ run: '' })],
    ['idOrKey must be a string that is not empty', (receiver) => receiver.discard('', audit)],
    ['idOrKeyOrRun must be a string that is not empty', (receiver) => receiver.undo('', audit)],
    ['idOrKeyOrRun must be a string that is not empty', (receiver) => receiver.undoable('')],
    ['key must be a string that is not empty', (receiver) => receiver.inspectQuarantined('')],
    ['key must be a string that is not empty', (receiver) => receiver.verifyAgain({ key: '' }, audit)],
    ['id must be a string that is not empty', (receiver) => receiver.list({ id: '' })],
    [
      'id must be a string that is not empty',
      (receiver) => receiver.plan({ action: 'discard', where: { id: '' } }),
    ],
    ['id must be a string that is not empty', (receiver) => receiver.findPlan('')],
    ['id must be a string that is not empty', (receiver) => receiver.findRun('')],
    ['plan must be a string that is not empty', (receiver) => receiver.run('', audit)],
    ['plan must be readable', (receiver) => receiver.run(unreadable() as never, audit)],
    ['group must be a string that is not empty', (receiver) => receiver.resolveGroup('', audit)],
    ['code must be a code of a delivery', (receiver) => receiver.quarantined({ code: 'odd' as never })],
    [
      'code must be a code of a delivery',
      (receiver) => receiver.verifyAgain({ code: 'odd' as never }, audit),
    ],
    ['allEndpoints must be a boolean', (receiver) => receiver.plans({ allEndpoints: 1 as never })],
    [
      'list finds an id in one endpoint, so give either id or allEndpoints',
      (receiver) => receiver.list({ id: 'evt_1', allEndpoints: true }),
    ],
    ['seen must be readable', (receiver) => receiver.replay('evt_1', audit, { seen: unreadable() as never })],
    // Also if no event is there to compare them with.
    ['copies must be', (receiver) => receiver.replay('evt_none', audit, { copies: 'a' as never })],
    [
      'copies must be readable',
      (receiver) =>
        receiver.replay('evt_1', audit, {
          copies: new Proxy([], { get: throwProxy }) as never,
        }),
    ],
    [
      'seen is of an event, not of a delivery',
      (receiver) =>
        receiver.discard('evt_1', audit, { kind: 'delivery', seen: { state: 'dead', generation: 0 } }),
    ],
    [
      "kind must be 'event' or 'delivery'",
      (receiver) => receiver.discard('evt_1', audit, { kind: 'run' as never }),
    ],
    ["kind must be 'event' or 'delivery'", (receiver) => receiver.undo('evt_1', audit, { kind: 1 as never })],
    [
      'replayEdited takes either body or data',
      (receiver) => receiver.replayEdited('evt_1', { body: '{}', data: {} } as never, audit),
    ],
    [
      'body must be a string or bytes',
      (receiver) => receiver.replayEdited('evt_1', { body: 5 as never }, audit),
    ],
    [
      'a receiver plans only for its own endpoint',
      (receiver) => receiver.plan({ action: 'discard', where: { endpoint: 'other' } }),
    ],
    [
      'discard takes events that are dead, not done',
      (receiver) => receiver.plan({ action: 'discard', where: { state: 'done' } }),
    ],
    [
      'giveUp takes events that are accepted or failed, not dead',
      (receiver) => receiver.plan({ action: 'giveUp', where: { state: 'dead' } }),
    ],
    ['replay needs a reason', (receiver) => receiver.replay('evt_1', { ...audit, reason: '' })],
    ['replay needs an actor', (receiver) => receiver.replay('evt_1', { ...audit, actor: '' })],
    ['reason must be readable', (receiver) => receiver.replay('evt_1', unreadable() as never)],
    ['replayEdited needs a reason', (receiver) => receiver.replayEdited('evt_1', { data: {} }, {} as never)],
    ['verifyAgain needs a reason', (receiver) => receiver.verifyAgain({}, {} as never)],
    ['undo needs a reason', (receiver) => receiver.undo('evt_1', {} as never)],
    ['run needs a reason', (receiver) => receiver.run('plan', {} as never)],
    ['acknowledgeGroup needs a reason', (receiver) => receiver.acknowledgeGroup('group', {} as never)],
    ['resolveGroup needs a reason', (receiver) => receiver.resolveGroup('group', {} as never)],
    ['reopenGroup needs a reason', (receiver) => receiver.reopenGroup('group', {} as never)],
  ])('%s (%#)', async (text, call) => {
    const receiver = receiverOf('default')
    await accept(receiver, 'evt_1')
    await rejected(call(receiver), text)
    expect(await receiver.audits()).toEqual([])
  })

  it.each<[string, (receiver: Receiver) => Promise<unknown>]>([
    ['replay', (receiver) => receiver.replay('evt_none', audit)],
    ['discard', (receiver) => receiver.discard('evt_none', audit)],
    ['replayEdited', (receiver) => receiver.replayEdited('evt_none', { data: {} }, audit)],
  ])('%s of an event that is not kept', async (_, call) => {
    await expect(call(receiverOf('default'))).rejects.toMatchObject({
      ...invalid,
      code: 'event_not_found',
      message: expect.stringContaining('no event evt_none is kept'),
    })
  })

  it.each<[string, object, (receiver: Receiver) => Promise<unknown>]>([
    [
      'event evt_1 is accepted, and only a dead event can be discarded',
      wrongState,
      (receiver) => receiver.discard('evt_1', audit),
    ],
    [
      'nothing was restored: nothing was discarded under it',
      wrongState,
      (receiver) => receiver.undo('evt_1', audit),
    ],
    [
      'resolveGroup found no group unknown in this endpoint',
      noTarget,
      (receiver) => receiver.resolveGroup('unknown', audit),
    ],
    ['no plan unknown is kept', noTarget, (receiver) => receiver.run('unknown', audit)],
    [
      'no quarantined delivery is kept under this key',
      noTarget,
      (receiver) => receiver.verifyAgain({ key: `default/${'f'.repeat(64)}` }, audit),
    ],
    [
      'no delivery is quarantined under this key',
      noTarget,
      (receiver) => receiver.discard(`default/${'f'.repeat(64)}`, audit),
    ],
  ])('%s, which its code says too', async (text, code, call) => {
    const receiver = receiverOf('default')
    await accept(receiver, 'evt_1')
    await expect(call(receiver)).rejects.toMatchObject({ ...code, detail: expect.stringContaining(text) })
  })

  it('an event that has the key of a delivery as its id', async () => {
    const receiver = receiverOf('default')
    await accept(receiver, 'evt_1')
    await conflict(receiver, 'evt_1')
    const [{ key } = { key: '' }] = await receiver.quarantined()
    const snake = { id: key, type: 'any', created_at: settled.createdAt, data: {} }
    expect(await receiver.receive(await delivery(snake))).toMatchObject({ outcome: 'accepted' })
    await rejected(
      receiver.discard(key, audit),
      'an event has this key as its id; say which of the two, with kind',
    )
  })

  it.each([
    ['audits', (receiver: Receiver) => receiver.audits({ event: 1 } as never)],
    ['list', (receiver: Receiver) => receiver.list({ event: 1 } as never)],
    ['quarantined', (receiver: Receiver) => receiver.quarantined({ event: 1 } as never)],
    ['plan', (receiver: Receiver) => receiver.plan({ action: 'discard', event: 1 } as never)],
    ['where', (receiver: Receiver) => receiver.plan({ action: 'discard', where: { event: 1 } as never })],
    ['plans', (receiver: Receiver) => receiver.plans({ event: 1 } as never)],
    ['run', (receiver: Receiver) => receiver.run('plan', { ...audit, event: 1 } as never)],
    ['runs', (receiver: Receiver) => receiver.runs({ event: 1 } as never)],
    ['failures', (receiver: Receiver) => receiver.failures({ event: 1 } as never)],
    ['statistics', (receiver: Receiver) => receiver.statistics({ event: 1 } as never)],
    ['verifyAgain', (receiver: Receiver) => receiver.verifyAgain({ event: 1 } as never, audit)],
    ['undo', (receiver: Receiver) => receiver.undo('evt_1', audit, { event: 1 } as never)],
    ['undoable', (receiver: Receiver) => receiver.undoable('evt_1', { event: 1 } as never)],
    ['replay', (receiver: Receiver) => receiver.replay('evt_1', audit, { event: 1 } as never)],
    ['discard', (receiver: Receiver) => receiver.discard('evt_1', audit, { event: 1 } as never)],
    ['replayEdited', (receiver: Receiver) => receiver.replayEdited('evt_1', { event: 1 } as never, audit)],
    [
      'replayEdited',
      (receiver: Receiver) => receiver.replayEdited('evt_1', { data: {} }, audit, { event: 1 } as never),
    ],
    ['resolveGroup', (receiver: Receiver) => receiver.resolveGroup('group', audit, { event: 1 } as never)],
  ])('an option that %s does not have (%#)', async (owner, call) => {
    await expect(call(receiverOf('default'))).rejects.toMatchObject({
      code: 'unknown_option',
      message: expect.stringContaining(`event is not an option of ${owner}`),
    })
  })
})

describe('the longest', () => {
  it('id has 1000 characters', async () => {
    const receiver = receiverOf('default')
    expect(await receiver.inspect('e'.repeat(1000))).toBeUndefined()
    await rejected(receiver.inspect('e'.repeat(1001)), 'eventId must have 1000 characters at most')
    expect(await receiver.audits({ run: 'r'.repeat(1000) })).toEqual([])
    await rejected(receiver.audits({ run: 'r'.repeat(1001) }), 'run must have 1000 characters at most')
  })

  it('reason and actor have 10000 characters', async () => {
    const receiver = receiverOf('default')
    await accept(receiver, 'evt_1')
    const [longest, longer] = ['x'.repeat(10_000), 'x'.repeat(10_001)]
    await receiver.replay('evt_1', { reason: longest, actor: longest })
    await rejected(
      receiver.replay('evt_1', { ...audit, reason: longer }),
      'reason must have 10000 characters at most',
    )
    await rejected(
      receiver.replay('evt_1', { ...audit, actor: longer }),
      'actor must have 10000 characters at most',
    )
    expect(await receiver.audits()).toHaveLength(1)
  })
})

it.each([
  ['replay', (receiver: Receiver) => receiver.replay('evt_1', audit), 'replay needs a queue'],
  [
    'replayEdited',
    (receiver: Receiver) => receiver.replayEdited('evt_1', { data: {} }, audit),
    'replayEdited needs a queue that runs the event',
  ],
  [
    'verifyAgain',
    (receiver: Receiver) => receiver.verifyAgain({}, audit),
    'verifyAgain needs a queue that runs what it releases',
  ],
])('%s is rejected without a queue', async (_, call, text) => {
  await accept(receiverOf('default'), 'evt_1')
  await rejected(call(receiverOf('default', { queue: undefined })), text)
})
