import { PayloadError } from '../../src/errors.js'
import { parseEvent } from '../../src/event/parse.js'

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export const camel = {
  id: 'evt_1',
  type: 'transfer.settled',
  environment: 'sandbox',
  createdAt: '2026-01-02T03:04:05Z',
  data: { transferId: 'tr_1', status: 'settled', rail: 'mobile_money', ledgerState: 'matched' },
}

export const snake = {
  id: 'evt_1',
  type: 'transfer.settled',
  product: 'mobile_money',
  created_at: '2026-01-02T03:04:05Z',
  data: { transfer_id: 'tr_1', status: 'settled', rail: 'mobile_money', ledger_state: 'matched' },
}

/** A valid camelCase body whose `data` is exactly the given text. */
export const withData = (text: string): Uint8Array =>
  bytes(`{"id":"evt_1","type":"x","createdAt":"2026-01-02T03:04:05Z","data":${text}}`)

/** `event` for an accepted body, else `code` or `code: detail`. Any other error fails the test. */
export function verdict(body: Uint8Array | object): string {
  try {
    parseEvent(body instanceof Uint8Array ? body : bytes(JSON.stringify(body)))
    return 'event'
  } catch (error) {
    if (!(error instanceof PayloadError)) {
      throw error
    }
    return error.detail === undefined ? error.code : `${error.code}: ${error.detail}`
  }
}
