import { describe, expect, it } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { audit, file, openBulkRig, receiverOf, withDead } from './bulk-rig.js'
import { delivery, settled } from './deliver.js'
import { conflict, wrongState } from './operations-rig.js'

openBulkRig()

const invalid = (message: string) => ({ code: 'invalid_option', message: `invalid_option: ${message}` })

describe('discard', () => {
  it('names who discarded this event, and no one if it was never discarded', async () => {
    const receiver = await withDead(2)
    const by = (actor: string) => ({ ...audit, actor })
    await receiver.discard('evt_0', by('ann'))
    await receiver.discard('evt_1', by('bob'))
    const again = async (id: string) => receiver.discard(id, audit, { kind: 'event' })
    await expect(again('evt_0')).rejects.toThrow(/no event evt_0 is kept: ann discarded it at /)
    const message = 'event_not_found: no event evt_2 is kept'
    await expect(again('evt_2')).rejects.toMatchObject({ code: 'event_not_found', message })
  })
})

describe('undo', () => {
  it('says that it has cancelled a run of which it can restore nothing', async () => {
    const receiver = await withDead(2)
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), { ...audit, perSecond: 0.001 })
    await expect.poll(async () => (await run.progress()).applied, { timeout: 15_000 }).toBe(1)
    const store = sqliteStore(file())
    const bulk = { ...store.inbox.bulk, undo: async () => ({ found: 0, undone: 0 }) }
    const other = receiverOf({ store: { ...store, inbox: { ...store.inbox, bulk } } })
    await expect(other.undo(run.id, audit)).rejects.toMatchObject({
      ...wrongState,
      message: expect.stringMatching(/nothing was restored: .+; the run is cancelled$/),
    })
    expect((await run.progress()).state).toBe('cancelled')
    await expect(other.undo('evt_unknown', audit)).rejects.toMatchObject({
      ...wrongState,
      message: expect.stringMatching(/nothing was restored: nothing was discarded under it[^!]*$/),
    })
  })

  it.each([
    ['seen must be a discard as undoable returns it, or a run', { seen: {} }],
    ['seen must be a discard as undoable returns it, or a run', { seen: { kind: 'run' } }],
    ['seen must be a discard as undoable returns it, or a run', { seen: 5 }],
    ['seen is not of the event that kind names', { kind: 'event', seen: { kind: 'delivery' } }],
    ['seen is not of the delivery that kind names', { kind: 'delivery', seen: { changes: 0 } }],
  ])('is rejected because %s', async (message, options) => {
    const undone = receiverOf().undo('evt_0', audit, options as never)
    await expect(undone).rejects.toMatchObject(invalid(message))
  })

  it('names seen if it cannot be read', async () => {
    const seen = new Proxy({}, { has: () => expect.fail('it throws') })
    await expect(receiverOf().undo('evt_0', audit, { seen } as never)).rejects.toThrow(/\bseen\b/)
  })
})

it('verifyAgain names a delivery that another operator took after it was listed', async () => {
  const receiver = receiverOf()
  await receiver.receive(await delivery(settled))
  await conflict(receiver, settled.id)
  const listed = await receiver.quarantined()
  await receiver.discard(listed[0]?.key as string, audit)
  const store = sqliteStore(file())
  const stale = receiverOf({
    store: { ...store, inbox: { ...store.inbox, quarantined: async () => listed } },
  })
  expect(await stale.verifyAgain({}, audit)).toEqual({
    released: [],
    kept: [],
    gone: listed.map(({ key }) => key),
  })
})

it('an edited replay says what is wrong with a body that is not an event', async () => {
  const receiver = receiverOf()
  await receiver.receive(await delivery(settled))
  const edited = (body: string) => receiver.replayEdited(settled.id, { body }, audit)
  await expect(edited('{')).rejects.toThrow('the edited event is invalid_json')
  await expect(edited('{"id":"evt_1"}')).rejects.toThrow('the edited event is invalid_envelope')
  await expect(edited('{"id":"evt_1"}')).rejects.not.toThrow('write it as a string')
})
