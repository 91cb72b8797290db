import { describe, expect, it } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { open } from '../stores/sqlite-rig.js'
import { settled } from './deliver.js'
import { accept, audit, conflict, invalid, operationsRig, patiently } from './operations-rig.js'

const { file, receiverOf } = operationsRig()

describe('a queue that throws after a commit', () => {
  it.each([
    ['throws', () => void JSON.parse('{')],
    ['rejects', () => Promise.reject(new Error('the engine is down'))],
  ])('is only logged where it %s: the change has happened', async (_, committed) => {
    const lines: string[] = []
    const error = (line: string) => lines.push(line)
    const queue = {
      guarantee: '',
      consume: async () => async () => {},
      enqueue: async () => {},
      committed: committed as () => void,
    }
    const receiver = receiverOf('default', { queue, logger: { info() {}, warn() {}, error } })
    await accept(receiver, 'evt_1')
    expect(await receiver.replay('evt_1', audit)).toBe(1)
    expect(await receiver.replayEdited('evt_1', { data: settled.data }, audit)).toMatch(/^evt_edited_/)
    await new Promise((resolve) => setImmediate(resolve))
    const [line, ...others] = lines.filter((each) => each.includes('the queue failed after a commit'))
    expect(line).toContain('its next search finds the event')
    expect(others).toHaveLength(2)
    expect((await receiver.audits()).map(({ action }) => action)).toEqual(['replayEdited', 'replay'])
  })
})

it('a queue that only searches the inbox is told nothing, and nothing is logged', async () => {
  const lines: string[] = []
  const error = (line: string) => lines.push(line)
  const queue = { guarantee: '', consume: async () => async () => {} }
  const receiver = receiverOf('default', { queue, logger: { info() {}, warn() {}, error } })
  await accept(receiver, 'evt_1')
  expect(await receiver.replay('evt_1', audit)).toBe(1)
  await receiver.replayEdited('evt_1', { data: settled.data }, audit)
  expect(lines).toEqual([])
})

it('an event that is deleted while it is replayed is unknown, or has changed since it was seen', async () => {
  const store = sqliteStore(file())
  const inbox = { ...store.inbox, requeue: async () => undefined }
  const receiver = receiverOf('default', { store: { ...store, inbox } })
  await accept(receiver, 'evt_1')
  const message = expect.stringContaining('no event evt_1 is kept')
  const code = 'event_not_found'
  await expect(receiver.replay('evt_1', audit)).rejects.toMatchObject({ ...invalid, code, message })
  const seen = await receiver.inspect('evt_1')
  await expect(receiver.replay('evt_1', audit, { seen })).rejects.toMatchObject({ code: 'event_changed' })
})

describe('the operations of a receiver', () => {
  it('replay a done event and a dead one, with an audit', async () => {
    const seen: number[] = []
    let isBroken = true
    const receiver = receiverOf('replays', {
      fallback() {
        seen.push(1)
        if (isBroken) {
          throw new Error('broken')
        }
      },
    })
    await receiver.start()
    await accept(receiver, 'evt_1')
    const state = async () => (await receiver.inspect('evt_1'))?.state
    await expect.poll(state, patiently).toBe('dead')
    isBroken = false
    expect(await receiver.replay('evt_1', audit)).toBe(1)
    await expect.poll(state, patiently).toBe('done')
    expect(await receiver.replay('evt_1', { ...audit, reason: 'again' })).toBe(2)
    await expect.poll(() => seen.length, patiently).toBe(3)
    await expect.poll(state, patiently).toBe('done')
    await receiver.stop()
    const database = open(file())
    const kept = database
      .prepare('SELECT generation, reason, actor FROM webhook_inbox_replays ORDER BY generation')
      .all() as object[]
    database.close()
    expect(kept).toMatchObject([
      { generation: 1, ...audit },
      { generation: 2, reason: 'again', actor: 'an operator' },
    ])
  })

  it('replay gives the queue a job of the next generation with its resource, and wakes it after the commit', async () => {
    const jobs: unknown[] = []
    const receiver = receiverOf('jobs', {
      resource: () => 'account 1',
      queue: {
        guarantee: '',
        consume: async () => async () => {},
        enqueue: async (job: object) => void jobs.push(['enqueue', job]),
        committed: (job: object) => void jobs.push(['committed', job]),
      },
    })
    await accept(receiver, 'evt_1')
    const key = (await receiver.inspect('evt_1'))?.key
    jobs.length = 0
    expect(await receiver.replay('evt_1', audit)).toBe(1)
    const job = { key, type: settled.type, endpoint: 'jobs', resource: 'account 1', generation: 1 }
    expect(jobs).toEqual([
      ['enqueue', job],
      ['committed', job],
    ])
  })

  it.each([undefined, { reason: '', actor: 'a' }, { reason: 'a', actor: ' ' }, { reason: 'a' }])(
    'replay and discard nothing with the audit %o',
    async (given) => {
      const receiver = receiverOf('audits')
      await accept(receiver, 'evt_1')
      await conflict(receiver, 'evt_1')
      const [delivered] = await receiver.quarantined()
      await expect(receiver.replay('evt_1', given as never)).rejects.toMatchObject(invalid)
      for (const key of ['evt_1', delivered?.key as string]) {
        await expect(receiver.discard(key, given as never)).rejects.toMatchObject({
          ...invalid,
          message: expect.stringMatching(/discard needs an? (?:reason|actor)/),
        })
      }
      expect(await receiver.quarantined()).toHaveLength(1)
    },
  )
})
