import Libsql from 'libsql'
import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { GroupRow, Page } from '../src/wire.js'
import { json, listen, openInbox, sqliteFile } from './rig.js'

it('an open cause without events is listed among all causes alone', async () => {
  const { receiver, send, until } = await openInbox()
  await send('transfer.failed', {}, 'evt_1')
  await send('payout.returned', {}, 'evt_2')
  await until(({ dead }) => dead === 2)
  await receiver.discard('evt_1', { reason: 'a test', actor: 'operator' })
  const url = await listen(consoleHandler(receiver, { authorize: () => true, readOnly: true }))
  const counts = async (query: string) => {
    const { rows } = (await (await fetch(`${url}/api/groups?${query}`)).json()) as Page<GroupRow>
    return rows.map(({ count, state }) => [state, count]).sort()
  }
  expect(await counts('state=open')).toEqual([['open', 1]])
  expect(await counts('state=open&sort=dead')).toEqual([['open', 1]])
  expect(await counts('')).toEqual([
    ['open', 0],
    ['open', 1],
  ])
})

it('a cause whose types somebody broke in the database hides no other cause', async () => {
  const { store, file } = await sqliteFile()
  const { receiver, send, until } = await openInbox(async () => store)
  await send('transfer.failed', {}, 'evt_1')
  await send('payout.returned', {}, 'evt_2')
  await until(({ dead }) => dead === 2)
  const database = new Libsql(file)
  database.exec("UPDATE webhook_inbox_failure_groups SET types = '[' WHERE example = 'evt_2'")
  database.close()
  const url = await listen(consoleHandler(receiver, { authorize: () => true, readOnly: true }))
  const { rows } = await json<Page<GroupRow>>(`${url}/api/groups`)
  expect(rows.map(({ types }) => types).sort()).toEqual([[], ['transfer.failed']])
  await send('payout.returned', {}, 'evt_3')
  await until(({ dead }) => dead === 3)
})
