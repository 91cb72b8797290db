import { describe, expect, it } from 'vitest'
import type { Receiver } from 'webhook-inbox'
import { consoleHandler } from '../src/index.js'
import type { QuarantineList, VerifiedSome } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openInbox, sharedStore } from './rig.js'

const post = (body: object) => act('a test', {}, { seen: undefined, ...body })
const part = encodeURIComponent
const serve = async (receiver: Receiver, over: object = {}) =>
  `${await listen(consoleHandler(receiver, { ...all, ...over }))}/api`

/** A delivery with a number that is rounded now, and one that is no JSON. */
async function openCorrected() {
  const makeStore = await sharedStore()
  const before = await openInbox(makeStore)
  for (const id of ['evt_1', 'evt_2']) {
    await before.sendRaw(
      `{"id":"${id}","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}`,
    )
  }
  await before.sendRaw('no JSON')
  await before.receiver.stop()
  return openInbox(makeStore, { async 'ledger.noted'() {} }, {}, { inexactNumbers: 'round' })
}

describe('a check of a delivery', () => {
  it('says which event it has become, and the list counts the other deliveries by their cause', async () => {
    const { receiver } = await openCorrected()
    const api = await serve(receiver)
    const list = () => json<QuarantineList>(`${api}/quarantine`)
    expect((await list()).causes).toEqual([
      { code: 'invalid_data', count: 2, isCapped: false },
      { code: 'invalid_json', count: 1, isCapped: false },
    ])
    const [{ key = '' } = {}] = await receiver.quarantined({
      code: 'invalid_data',
      order: 'oldest',
      limit: 1,
    })
    expect(await json(`${api}/quarantine/${part(key)}/verify-again`, act('rounded now'))).toEqual({
      outcome: 'accepted',
      eventId: 'evt_1',
    })
    const { rows } = await json<QuarantineList>(`${api}/quarantine?code=invalid_data`)
    expect(rows.map(({ eventId }) => eventId)).toEqual(['evt_2'])
  })

  it('is told that it is gone, where somebody else was faster', async () => {
    const { receiver } = await openCorrected()
    const [{ key = '' } = {}] = await receiver.quarantined()
    const racing: Receiver = { ...receiver, verifyAgain: async () => ({ released: [], kept: [] }) as never }
    const api = await serve(racing)
    const answer = await fetch(`${api}/quarantine/${part(key)}/verify-again`, act('a test'))
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }])
    expect(await json(`${api}/quarantine/verify-again`, post({}))).toMatchObject({
      released: 0,
      gone: 3,
      kept: [],
    })
  })

  it('of many ends its part after two seconds', async () => {
    const { receiver } = await openCorrected()
    const slow: Receiver = {
      ...receiver,
      async verifyAgain(...given) {
        await new Promise((resolve) => setTimeout(resolve, 1100))
        return receiver.verifyAgain(...given)
      },
    }
    const api = await serve(slow)
    const first = await json<VerifiedSome>(`${api}/quarantine/verify-again`, post({}))
    expect([first.released, first.kept, first.next]).toEqual([2, [], expect.stringMatching(/^\d+ \d+$/)])
    const second = await json<VerifiedSome>(`${api}/quarantine/verify-again`, post({ cursor: first.next }))
    expect([second.released, second.kept.length, second.next]).toEqual([0, 1, undefined])
  })

  it('says no more than the code of a delivery whose body cannot be masked any more', async () => {
    const { receiver } = await openCorrected()
    const gone: Receiver = { ...receiver, inspectQuarantined: async () => undefined }
    const api = await serve(gone, { mask: ['data.a'], linkSecret: 'a secret of these tests' })
    const { kept } = await json<VerifiedSome>(
      `${api}/quarantine/verify-again`,
      post({ code: 'invalid_json' }),
    )
    expect(kept).toEqual([{ key: expect.any(String), code: 'invalid_json', bytes: 7 }])
  })
})
