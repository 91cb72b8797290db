import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { EventRow, Page } from '../src/wire.js'
import { all } from './every-right.js'
import { json, listen, openInbox } from './rig.js'

interface Data {
  readonly phone: string
  readonly name: string
}

/** Each event fails with the name in its error. Its resource is the phone number. */
async function openMasked(mask: readonly string[], data: readonly Data[]) {
  const inbox = await openInbox(
    undefined,
    {},
    { attempts: 1 },
    {
      resource: (event: { data: Data }) => event.data.phone,
      async fallback(event: { data: Data }) {
        throw new Error(`no customer ${event.data.name} here`)
      },
    },
  )
  for (const [i, each] of data.entries()) {
    await inbox.send('ledger.noted', each, `evt_${i}`)
  }
  await inbox.until(({ dead }) => dead === data.length)
  const url = await listen(consoleHandler(inbox.receiver, { ...all, mask }))
  return (query: string) => json<Page<EventRow>>(`${url}/api/events?${new URLSearchParams(query)}`)
}

const both = ['data.phone', 'data.name']
const ada = { phone: '4670', name: 'Ada Lovelace' }

it.each([
  ['text', 'Ada Love', 'Bob Ross', 'body=a:b&state=dead'],
  ['resource', '4670', '4671', 'body=a:b'],
  ['resource', '4670', '4671', 'text=customer'],
  ['resource', '4670', '4671', 'limit=1'],
  ['text', 'Ada Love', 'Bob Ross', 'limit=1'],
])('a search by %s answers a right guess as a wrong one: %s, %s, %s', async (name, right, wrong, rest) => {
  const search = await openMasked(both, [ada, ada, ada])
  const answer = await search(`${name}=${right}&${rest}`)
  expect(answer).toEqual(await search(`${name}=${wrong}&${rest}`))
  expect(answer.rows).toEqual([])
})

it('the next page does not tell that a hidden event matches beside a visible one', async () => {
  const search = await openMasked(['data.name'], [ada, { phone: '4671', name: 'Grace' }])
  // Both have one resource. It is also the masked name of the older one, so it is hidden there.
  const mixed = await openMasked(
    ['data.name'],
    [
      { phone: 'Hopper', name: 'Hopper' },
      { phone: 'Hopper', name: 'x' },
    ],
  )
  const { rows, next } = await mixed('resource=Hopper&limit=1')
  expect([rows.map(({ id }) => id), next]).toEqual([['evt_1'], undefined])
  expect((await search('resource=4670&limit=1')).rows).toMatchObject([{ id: 'evt_0' }])
})

it('a search by text goes through what the person may see, page by page', async () => {
  const people = Array.from({ length: 5 }, (_, i) => ({ phone: `467${i}`, name: 'Ada' }))
  const search = await openMasked(['data.name'], people)
  const first = await search('text=CUSTOMER&limit=3')
  const second = await search(`text=CUSTOMER&limit=3&cursor=${first.next}`)
  expect([first.rows.length, first.searched, second.rows.length, second.searched, second.next]).toEqual([
    3,
    3,
    2,
    2,
    undefined,
  ])
  expect(await search('text=Ada')).toEqual({ rows: [], searched: 5 })
  expect(await search('text=customer&state=done')).toEqual({ rows: [], searched: 0 })
  expect((await search('text=customer&resource=4673')).rows).toMatchObject([{ id: 'evt_3' }])
})
