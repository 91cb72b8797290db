import { afterAll, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { drivers, newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret } from './deliver.js'

afterAll(removeFiles)

// SECURITY.md tells how to erase the personal data of an event that is done.
it('a done event whose body was erased by hand stays done: it makes a redelivery a duplicate, and other content a conflict', async () => {
  const path = newFile()
  const store = sqliteStore(path)
  let runs = 0
  const receiver = createReceiver({
    secret,
    now: clock,
    store,
    logger: false,
    handlers: { 'transfer.settled': () => void runs++ },
  })
  const first = await delivery()
  expect(await receiver.receive(first)).toMatchObject({ outcome: 'processed' })

  const [, open] = drivers[0] as (typeof drivers)[number]
  const database = open(path)
  database.exec("UPDATE webhook_inbox_events SET body = x'' WHERE state = 'done'")
  database.close()

  expect(await receiver.receive(first)).toMatchObject({ outcome: 'duplicate' })
  const other = {
    id: 'evt_1',
    type: 'transfer.settled',
    createdAt: '2026-01-02T03:04:05Z',
    data: { transferId: 'tr_2', status: 'settled', rail: 'bank_transfer', ledgerState: 'matched' },
  }
  expect(await receiver.receive(await delivery(other))).toMatchObject({ code: 'event_id_conflict' })
  expect(await receiver.inspect('evt_1')).toMatchObject({ state: 'done' })
  expect(runs).toBe(1)
  await receiver.stop()
})
