import Libsql from 'libsql'
import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { AuditRow, Page } from '../src/wire.js'
import { all } from './every-right.js'
import { json, listen, openInbox, sqliteFile } from './rig.js'

const noon = Date.UTC(2026, 0, 1, 12)
const at = (seconds: number) => new Date(noon + seconds * 1000).toISOString()

/** Audits at these seconds after noon, in the order of their writing. */
async function openAudits(...seconds: readonly number[]) {
  const { store, file } = await sqliteFile()
  const { receiver } = await openInbox(async () => store)
  for (const each of seconds) {
    await receiver.pause({ type: `t.${each}` }, { reason: String(each), actor: 'Ann' })
  }
  const database = new Libsql(file)
  database.exec(`UPDATE webhook_inbox_audits SET at = ${noon} + CAST(reason AS INTEGER) * 1000`)
  database.close()
  const url = await listen(consoleHandler(receiver, all))
  return async (query: string) => {
    const page = await json<Page<AuditRow>>(`${url}/api/audits?${query}`)
    return {
      reasons: page.rows.map(({ reason }) => Number(reason)),
      searched: page.searched,
      next: page.next,
    }
  }
}

it('a search by time has both ends, to the millisecond', async () => {
  const search = await openAudits(0, 100, 200, 300)
  const none = { next: undefined }
  expect(await search(`since=${at(200)}`)).toEqual({ reasons: [300, 200], searched: 2, ...none })
  expect((await search(`since=${at(200.001)}`)).reasons).toEqual([300])
  expect((await search(`until=${at(100)}`)).reasons).toEqual([100, 0])
  expect((await search(`until=${at(99.999)}`)).reasons).toEqual([0])
  expect((await search(`since=${at(100)}&until=${at(200)}`)).reasons).toEqual([200, 100])
  expect((await search(`since=${at(201)}&until=${at(299)}`)).reasons).toEqual([])
  expect(await search('')).toEqual({ reasons: [300, 200, 100, 0], searched: undefined, next: undefined })
})

it('finds what was written up to a minute out of order', async () => {
  const search = await openAudits(60, 0, 61, 30, 90)
  expect((await search(`since=${at(60)}`)).reasons).toEqual([90, 61, 60])
  expect((await search(`until=${at(30)}`)).reasons).toEqual([30, 0])
  expect((await search(`since=${at(61)}&until=${at(61)}`)).reasons).toEqual([61])
})

it('reads nothing that is more than a minute older', async () => {
  const search = await openAudits(0, 100, 160)
  expect(await search(`since=${at(160)}`)).toMatchObject({ reasons: [160], searched: 2 })
  expect(await search(`since=${at(160.001)}`)).toMatchObject({ reasons: [], searched: 1 })
})

it('ends a page between two audits, and continues behind it', async () => {
  const search = await openAudits(0, 1, 2)
  const first = await search('limit=2')
  expect([first.reasons, typeof first.next]).toEqual([[2, 1], 'string'])
  expect(await search(`limit=2&cursor=${first.next}`)).toEqual({
    reasons: [0],
    searched: undefined,
    next: undefined,
  })
  expect(await search('limit=3')).toMatchObject({ reasons: [2, 1, 0], next: undefined })
  const searched = await search('limit=1&actor=ANN&action=pause')
  expect([searched.reasons, searched.searched]).toEqual([[2], 1])
  expect((await search('actor=bob')).reasons).toEqual([])
  expect((await search('action=resume')).reasons).toEqual([])
  expect((await search('actor=n')).reasons).toEqual([2, 1, 0])
})
