import pg from 'pg'
import { expect } from 'vitest'
import { testSender } from '../../src/testing/index.js'
import { secret } from './deliveries.js'

/**
 * Expects that a receiver commits what its handler writes together with the done mark, or neither. Resolves to a
 * delivery that is done.
 */
export async function expectOneTransaction(url: string, databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  async function found(text: string, value: string) {
    const { rows } = await client.query(text, [value])
    return rows.map(({ status }) => status)
  }
  const effects = (transferId: string) => found('SELECT status FROM transfers WHERE id = $1', transferId)
  const marks = (id: string) => found('SELECT state AS status FROM webhook_inbox.events WHERE id = $1', id)

  try {
    const sender = testSender({ url, secret })
    const transferId = 'tr_together'
    const failed = await sender.send('transfer.failed', { transferId, failureCode: 'bank_unreachable' })
    expect(failed).toMatchObject({ status: 500, code: 'handler_failed' })
    expect(await effects(transferId)).toEqual([])
    expect(await marks(failed.delivery.event.id)).toEqual(['failed'])

    const settled = await sender.send('transfer.settled', { transferId })
    expect(settled).toMatchObject({ status: 200, outcome: 'processed' })
    expect(await effects(transferId)).toEqual(['settled'])
    expect(await marks(settled.delivery.event.id)).toEqual(['done'])

    // The primary key rejects the second write, so a handler that ran again would answer 500.
    expect(await sender.redeliver(settled)).toMatchObject({ status: 200, outcome: 'duplicate' })
    const clash = await sender.send('transfer.settled', { transferId })
    expect(clash).toMatchObject({ status: 500, code: 'handler_failed' })
    expect(await marks(clash.delivery.event.id)).toEqual(['failed'])
    return settled
  } finally {
    await client.end()
  }
}
