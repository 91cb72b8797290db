import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { all } from './every-right.js'
import { listen, openFilledInbox, openInbox } from './rig.js'

it('pages of the quarantine go on behind a delivery that was discarded meanwhile', async () => {
  const { receiver, sendRaw, until } = await openInbox()
  for (const body of ['a', 'b', 'c', 'd', 'e']) {
    await sendRaw(body)
  }
  await until(({ quarantined }) => quarantined === 5)
  const url = await listen(consoleHandler(receiver, all))
  const page = async (cursor = '') =>
    (await (await fetch(`${url}/api/quarantine?limit=2&cursor=${cursor}`)).json()) as {
      rows: { key: string }[]
      next?: string
    }
  const first = await page()
  await receiver.discard(first.rows[1]?.key ?? '', { reason: 'a test', actor: 'operator 2' })
  const second = await page(first.next)
  const third = await page(second.next)
  expect([first, second, third].map(({ rows }) => rows.length)).toEqual([2, 2, 1])
  expect(third.next).toBeUndefined()
  const keys = [first, second, third].flatMap(({ rows }) => rows.map(({ key }) => key))
  expect(new Set(keys).size).toBe(5)
})

it('shows events page by page, and each as it is', async () => {
  const inbox = await openInbox()
  for (let i = 0; i < 5; i++) {
    await inbox.send('transfer.settled', {}, `evt_${i}`)
  }
  await inbox.until(({ done }) => done === 5)
  const url = await listen(consoleHandler(inbox.receiver, all))
  const ids: string[] = []
  for (let next: string | undefined = ''; next !== undefined; ) {
    const page = (await (await fetch(`${url}/api/events?limit=2&cursor=${next}`)).json()) as {
      rows: { id: string; state: string }[]
      next?: string
    }
    expect(page.rows.length).toBeLessThanOrEqual(2)
    ids.push(...page.rows.map(({ id }) => id))
    next = page.next
  }
  expect(ids.sort()).toEqual(['evt_0', 'evt_1', 'evt_2', 'evt_3', 'evt_4'])
  const dead = (await (await fetch(`${url}/api/events?state=dead`)).json()) as { rows: unknown[] }
  expect(dead.rows).toEqual([])
})

it('finds events by every condition of the address', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  for (const [query, ids] of [
    ['', ['evt_dead', 'evt_done']],
    ['state=done', ['evt_done']],
    ['type=transfer.*&state=dead', ['evt_dead']],
    ['type=transfer.settled', ['evt_done']],
    ['id=evt_done', ['evt_done']],
    ['id=evt_none', []],
    ['text=EVT_DEAD', ['evt_dead']],
    ['text=nothing', []],
    ['since=2020-01-01T00:00:00Z&state=&type=', ['evt_dead', 'evt_done']],
    ['since=2020-01-01&until=2999-01-01T12:00:00.5%2B02:00', ['evt_dead', 'evt_done']],
    ['until=2020-01-01T00:00:00Z', []],
  ] as const) {
    const { rows } = (await (await fetch(`${url}/api/events?${query}`)).json()) as { rows: { id: string }[] }
    expect([query, rows.map(({ id }) => id).sort()]).toEqual([query, ids])
  }
  for (const since of [
    'yesterday',
    '-1',
    '1/2',
    '2.1.2026',
    '2026-02-30',
    '2026-02-30T00:00:00Z',
    '2026-01-31T12:00',
  ]) {
    const { status } = await fetch(`${url}/api/events?since=${since}`)
    expect([since, status]).toEqual([since, 422])
  }
})
