import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { QuarantineList } from '../src/wire.js'
import { all } from './every-right.js'
import { json, listen, openInbox } from './rig.js'

it('a view asks a mask at most once for each use of a body', async () => {
  const inbox = await openInbox(undefined, {
    async 'ledger.noted'({ data }: { data: { name: string } }) {
      throw new Error(`no customer ${data.name} here`)
    },
  })
  const { receiver } = inbox
  await inbox.send('ledger.noted', { name: 'Ada' }, 'evt_1')
  await inbox.until(({ dead }) => dead === 1)
  await inbox.send('ledger.noted', { name: 'Bob' }, 'evt_1')
  await inbox.until(({ quarantined }) => quarantined === 1)
  let looks = 0
  const mask = (path: string, value: unknown) => {
    looks += path === 'data.name' ? 1 : 0
    return path === 'data.name' ? '•••' : value
  }
  const url = await listen(consoleHandler(receiver, { ...all, mask }))
  const looksOf = async (path: string) => {
    looks = 0
    await json(`${url}/api/${path}`)
    return looks
  }
  expect(await looksOf('events/evt_1')).toBe(1)
  const { rows } = await json<QuarantineList>(`${url}/api/quarantine`)
  // Both bodies are shown and compared, and the error of the stored event repeats a value.
  expect(await looksOf(`quarantine/${encodeURIComponent(rows[0]?.key ?? '')}`)).toBe(5)
})
