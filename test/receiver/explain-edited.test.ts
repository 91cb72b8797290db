import { expect, it } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { settled } from './deliver.js'
import { accept, audit, operationsRig } from './operations-rig.js'

const { receiverOf, file } = operationsRig()
const data = { ...settled.data, transferId: 'tr_corrected' }

async function markDead(id: string): Promise<void> {
  const { inbox } = sqliteStore(file())
  const [event] = await inbox
    .list({ allEndpoints: true, limit: 10 })
    .then((all) => all.filter((each) => each.id === id))
  await inbox.markDead(event?.key ?? '', 'given up')
}

it('an explanation names the edited copy of an event, and the event that was copied', async () => {
  const receiver = receiverOf('default')
  await accept(receiver, 'evt_1')
  const edited = await receiver.replayEdited('evt_1', { data }, audit)
  expect(await receiver.explain('evt_1')).toMatchObject({
    reason: 'no_worker',
    copies: [edited],
    editedSentence: `Its edited copy ${edited} is accepted.`,
  })
  expect(await receiver.explain(edited)).toMatchObject({
    reason: 'no_worker',
    parent: 'evt_1',
    editedSentence: 'It is an edited copy of event evt_1.',
  })
})

it('names the newest of several copies, and only those of the event itself', async () => {
  const receiver = receiverOf('default')
  await accept(receiver, 'evt_1')
  const first = await receiver.replayEdited('evt_1', { data }, audit)
  const second = await receiver.replayEdited('evt_1', { data }, audit)
  const ofCopy = await receiver.replayEdited(first, { data }, audit)
  const [parent, copy] = [await receiver.explain('evt_1'), await receiver.explain(first)]
  expect(parent).toMatchObject({
    copies: [second, first],
    editedSentence: `It has 2 edited copies. The newest, ${second}, is accepted.`,
  })
  expect(copy).toMatchObject({
    parent: 'evt_1',
    copies: [ofCopy],
    editedSentence: `It is an edited copy of event evt_1. Its edited copy ${ofCopy} is accepted.`,
  })
})

it('still names the copy of an event that was discarded', async () => {
  const receiver = receiverOf('default')
  await accept(receiver, 'evt_1')
  const edited = await receiver.replayEdited('evt_1', { data }, audit)
  await markDead('evt_1')
  await receiver.discard('evt_1', audit)
  expect(await receiver.explain('evt_1')).toMatchObject({ reason: 'discarded', copies: [edited] })
})

it('says nothing of copies where there are none, and nothing of another endpoint', async () => {
  const [receiver, other] = [receiverOf('default'), receiverOf('other')]
  await accept(receiver, 'evt_1')
  await accept(other, 'evt_1')
  await other.replayEdited('evt_1', { data }, audit)
  for (const id of ['evt_1', 'evt_2']) {
    const why = await receiver.explain(id)
    expect(why).not.toHaveProperty('copies')
    expect(why).not.toHaveProperty('editedSentence')
  }
})
