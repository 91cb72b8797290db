import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { errorClass } from '../src/views/error-class.js'
import type { EventDetail, GroupRow, Page } from '../src/wire.js'
import { type Inbox, json, listen, openInbox } from './rig.js'

const handlers = {
  async 'ledger.noted'({ data }: { data: { name?: string } }) {
    throw new TypeError(`the ledger refuses customer ${data.name}`)
  },
}
const open = (over: object = {}) => openInbox(undefined, handlers, { attempts: 1 }, over)
const withoutQueue = () => open({ queue: undefined })

/** The console of a person who may read no body. */
const serve = ({ receiver }: Inbox, mask: readonly string[] | undefined = ['data.name']) =>
  listen(
    consoleHandler(receiver, {
      authorize: (_, action) => ['overview:read', 'events:read'].includes(action),
      readOnly: true,
      ...(mask && { mask }),
    }),
  )

const errorsOf = async (url: string) =>
  ((await json<EventDetail>(`${url}/api/events/evt_1`)).attempts ?? []).map(({ error }) => error)

const titlesOf = async (url: string) =>
  (await json<Page<GroupRow>>(`${url}/api/groups`)).rows.map(({ title }) => title)

it.each([
  ['with another value', { name: 'Bob Jones' }, 'TypeError: the ledger refuses customer •••'],
  ['without the field', {}, 'TypeError: the ledger refuses customer undefined'],
])('an error of earlier content is shown without its message: %s', async (_, data, last) => {
  const inbox = await withoutQueue()
  await inbox.send('ledger.noted', { name: 'Ada Lovelace' }, 'evt_1')
  await inbox.send('ledger.noted', data, 'evt_1')
  const url = await serve(inbox)
  expect(await errorsOf(url)).toEqual(['TypeError: •••', last])
  expect(await titlesOf(url)).toEqual(expect.arrayContaining([last, 'TypeError: •••']))
  const clear = await listen(consoleHandler(inbox.receiver, { authorize: () => true, readOnly: true }))
  expect((await errorsOf(clear))[0]).toContain('Ada Lovelace')
})

it('a queue runs one content, so each error of it is shown without its masked values', async () => {
  const inbox = await openInbox(undefined, handlers, { attempts: 3, firstPauseSeconds: 0.01 })
  await inbox.send('ledger.noted', { name: 'Ada Lovelace' }, 'evt_1')
  await inbox.until(({ dead }) => dead === 1)
  const shown = 'TypeError: the ledger refuses customer •••'
  const url = await serve(inbox)
  const error = `handler_failed: ${shown}`
  expect(await errorsOf(url)).toEqual([error, error, error])
  expect(await titlesOf(url)).toEqual([shown])
})

it('the title of a cause whose example was delivered again with other content is shown without its message', async () => {
  const inbox = await open()
  await inbox.send('ledger.noted', { name: 'Ada Lovelace' }, 'evt_1')
  await inbox.until(({ dead }) => dead === 1)
  await inbox.receiver.discard('evt_1', { reason: 'a test', actor: 'operator' })
  await inbox.send('ledger.noted', { name: 'Bob Jones' }, 'evt_1')
  await inbox.until(({ dead }) => dead === 1)
  expect(await titlesOf(await serve(inbox))).toEqual([
    'TypeError: the ledger refuses customer •••',
    'TypeError: •••',
  ])
})

it('a title shows no short word of a masked value', async () => {
  const inbox = await withoutQueue()
  await inbox.send('ledger.noted', { name: 'Li Wu 1985' }, 'evt_1')
  await inbox.send('ledger.noted', { name: '北京 朝阳 12号' }, 'evt_2')
  const title = 'TypeError: the ledger refuses customer ••• ••• *'
  expect(await titlesOf(await serve(inbox))).toEqual([title, title])
})

it.each([
  ['handler_failed: TypeError: no Ada', 'handler_failed: TypeError: •••'],
  ['handler_failed: no Ada', 'handler_failed: •••'],
  ['TypeError', 'TypeError'],
  ['TypeError: no: Ada', 'TypeError: •••'],
  ['Ada: is refused', '•••'],
  ['Ada', '•••'],
  ['constructor: x', '•••'],
])('%s without its message is %s', (error, shown) => {
  expect(errorClass(error)).toBe(shown)
})
