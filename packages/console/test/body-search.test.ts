import { expect, it } from 'vitest'
import type { Receiver } from 'webhook-inbox'
import { consoleHandler } from '../src/index.js'
import type { EventRow, Page } from '../src/wire.js'
import { listen, openInbox } from './rig.js'

const all = { authorize: () => true, actor: () => 'operator' }

/** Dead events 0 to 11: every third one is of Ada. */
async function openWithBodies() {
  const { receiver, sendRaw, until } = await openInbox()
  for (let i = 0; i < 12; i++) {
    const data = { customer: { name: i % 3 === 0 ? 'Ada' : 'Grace', level: i }, tags: ['x'] }
    await sendRaw(
      JSON.stringify({ id: `evt_${i}`, type: 'ledger.noted', created_at: '2026-01-01T00:00:00Z', data }),
    )
  }
  await until(({ dead }) => dead === 12)
  return receiver
}

const search = async (url: string, query: string) =>
  (await (await fetch(`${url}/api/events?${query}`)).json()) as Page<EventRow>

const idsOf = ({ rows }: Page<EventRow>) => rows.map(({ id }) => id).sort()

it('finds events by a field of the body, within another condition', async () => {
  const url = await listen(consoleHandler(await openWithBodies(), all))
  const found = await search(url, 'state=dead&body=data.customer.name:Ada')
  expect(idsOf(found)).toEqual(['evt_0', 'evt_3', 'evt_6', 'evt_9'])
  expect(found).toMatchObject({ searched: 12 })
  expect(found.next).toBeUndefined()
  for (const [condition, ids] of [
    ['data.customer.level:7', ['evt_7']],
    ['data.tags.0:x&type=none', []],
    ['data.customer.name:ada', []],
    ['data.customer:[object Object]', []],
    ['data.customer.constructor:x', []],
    ['data.none.name:Ada', []],
  ] as const) {
    const page = await search(url, `state=dead&body=${condition}`)
    expect([condition, idsOf(page)]).toEqual([condition, ids])
  }
})

it('compares each digit of a long number, as the page shows it', async () => {
  const { receiver, sendRaw, until } = await openInbox(
    undefined,
    {},
    { attempts: 1 },
    { inexactNumbers: 'round' },
  )
  const numbers = ['9007199254740993', '-9007199254740993', '0.1234567890123456789', '1e3']
  for (const [i, amount] of numbers.entries()) {
    const event = { id: `evt_${i}`, type: 'ledger.noted', created_at: '2026-01-01T00:00:00Z' }
    const text = '9007199254740993 \\" 9007199254740993'
    await sendRaw(`${JSON.stringify(event).slice(0, -1)},"data":{"note":"${text}","amount":${amount}}}`)
  }
  await until(({ dead }) => dead === numbers.length)
  const url = await listen(consoleHandler(receiver, all))
  for (const [value, ids] of [
    ['9007199254740993', ['evt_0']],
    ['9007199254740992', []],
    ['-9007199254740993', ['evt_1']],
    ['0.1234567890123456789', ['evt_2']],
    ['0.12345678901234568', []],
    ['1000', ['evt_3']],
  ] as const) {
    expect([value, idsOf(await search(url, `state=dead&body=data.amount:${value}`))]).toEqual([value, ids])
  }
  const note = encodeURIComponent('9007199254740993 \\" 9007199254740993'.replace('\\"', '"'))
  expect((await search(url, `state=dead&body=data.note:${note}`)).rows).toHaveLength(4)
})

it('finds a decimal number however it is written', async () => {
  const { receiver, sendRaw, until } = await openInbox(
    undefined,
    {},
    { attempts: 1 },
    { inexactNumbers: 'round' },
  )
  const amounts = ['12.10', '"12.10"', '1.21e1', '-0.0', '1.21E+1', '12.100000000000000000001']
  for (const [i, amount] of amounts.entries()) {
    const event = { id: `evt_${i}`, type: 'ledger.noted', created_at: '2026-01-01T00:00:00Z' }
    await sendRaw(`${JSON.stringify(event).slice(0, -1)},"data":{"amount":${amount}}}`)
  }
  await until(({ dead }) => dead === amounts.length)
  const url = await listen(consoleHandler(receiver, all))
  for (const [value, ids] of [
    ['12.10', ['evt_0', 'evt_1', 'evt_2', 'evt_4']],
    ['12.1', ['evt_0', 'evt_2', 'evt_4']],
    ['121e-1', ['evt_0', 'evt_2', 'evt_4']],
    ['0', ['evt_3']],
    ['-0.0', ['evt_3']],
    ['12.100000000000000000001', ['evt_5']],
    ['12.1000000000000000000010', ['evt_5']],
    ['121', []],
    ['-12.1', []],
  ] as const) {
    const condition = encodeURIComponent(`data.amount:${value}`)
    expect([value, idsOf(await search(url, `state=dead&body=${condition}`))]).toEqual([value, ids])
  }
})

it('takes the places as the page writes them', async () => {
  const { receiver, sendRaw, until } = await openInbox()
  const bodies = [
    { deep: { list: [{ ref: 'a' }, { ref: 'b' }], tags: ['x', 'y'], grid: [[1], [2, 3]] } },
    { 'list[0]': 'by its name', deep: { list: { '': { ref: 'c' } } }, long: '"' },
  ]
  for (const [i, data] of bodies.entries()) {
    const event = { id: `evt_${i}`, type: 'ledger.noted', created_at: '2026-01-01T00:00:00Z', data }
    await sendRaw(JSON.stringify(event))
  }
  await until(({ dead }) => dead === bodies.length)
  const url = await listen(consoleHandler(receiver, all))
  for (const [condition, ids] of [
    ['data.deep.list[].ref:b', ['evt_0']],
    ['data.deep.list[1].ref:b', ['evt_0']],
    ['data.deep.list[0].ref:b', []],
    ['data.deep.list.1.ref:b', ['evt_0']],
    ['data.deep.tags[]:y', ['evt_0']],
    ['data.deep.grid[][]:3', ['evt_0']],
    ['data.deep.grid[1][0]:2', ['evt_0']],
    ['data.list[0]:by its name', ['evt_1']],
    ['data.deep.list.length:2', []],
    ['data.long:"', ['evt_1']],
  ] as const) {
    const page = await search(url, `state=dead&body=${encodeURIComponent(condition)}`)
    expect([condition, idsOf(page)]).toEqual([condition, ids])
  }
})

it('goes on where it stopped, and finds each event once', async () => {
  const url = await listen(consoleHandler(await openWithBodies(), all))
  const first = await search(url, 'state=dead&limit=3&body=data.customer.name:Ada')
  const second = await search(url, `state=dead&limit=3&body=data.customer.name:Ada&cursor=${first.next}`)
  expect([...idsOf(first), ...idsOf(second)].sort()).toEqual(['evt_0', 'evt_3', 'evt_6', 'evt_9'])
  expect([first.rows.length, second.next]).toEqual([3, undefined])
})

it('stops after 2,000 events and says so', async () => {
  const receiver = await openWithBodies()
  const [event] = await receiver.list({ limit: 1 })
  const endless = {
    ...receiver,
    list: async ({ limit = 0, after = 'key_0' } = {}) =>
      Array.from({ length: limit }, (_, i) => ({ ...event, key: `key_${Number(after.slice(4)) + i + 1}` })),
  }
  const url = await listen(consoleHandler(endless as never, all))
  const page = await search(url, 'state=dead&body=data.customer.name:none')
  expect(page).toEqual({ rows: [], searched: 2000, next: 'key_2000' })
})

it('holds only a few large bodies in memory at a time, and finds the same', async () => {
  const inbox = await openInbox()
  const filler = 'x'.repeat(300_000)
  for (let at = 0; at < 12; at++) {
    await inbox.send('ledger.noted', { at: at % 2, filler }, `evt_${at}`)
  }
  await inbox.until(({ dead }) => dead === 12)
  const reads: number[] = []
  const watched: Receiver = {
    ...inbox.receiver,
    async list(query) {
      const events = await inbox.receiver.list(query)
      reads.push(events.reduce((bytes, { body }) => bytes + body.byteLength, 0))
      return events
    },
  }
  const url = await listen(consoleHandler(watched, all))
  const page = await search(url, 'state=dead&body=data.at:1')
  expect(idsOf(page).sort()).toEqual(['evt_1', 'evt_11', 'evt_3', 'evt_5', 'evt_7', 'evt_9'])
  expect(page).toMatchObject({ searched: 12 })
  expect(Math.max(...reads)).toBeLessThan(2_200_000)
})

it('needs the right to read bodies, a condition that an index serves, and a path', async () => {
  const receiver = await openWithBodies()
  const url = await listen(consoleHandler(receiver, all))
  const rights = await listen(
    consoleHandler(receiver, { ...all, authorize: (_, asked) => asked === 'events:read' }),
  )
  const query = 'body=data.customer.name:Ada'
  expect(await search(rights, `state=dead&${query}`)).toMatchObject({ code: 'forbidden' })
  expect(await search(url, query)).toMatchObject({ code: 'invalid_request' })
  expect(await search(url, `${query}&text=failed`)).toMatchObject({ code: 'invalid_request' })
  expect(await search(url, 'state=dead&body=:x')).toMatchObject({ code: 'invalid_request' })
  expect(await search(url, 'state=dead&body=name')).toMatchObject({ code: 'invalid_request' })
})

it('a masked value is not found', async () => {
  const url = await listen(consoleHandler(await openWithBodies(), { ...all, mask: ['data.customer.name'] }))
  expect(idsOf(await search(url, 'state=dead&body=data.customer.name:Ada'))).toEqual([])
  expect(idsOf(await search(url, 'state=dead&body=data.customer.level:7'))).toEqual(['evt_7'])
})
