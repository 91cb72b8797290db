import type { Logger } from '../../src/report/result-log.js'
import type { ReceiveRequest } from '../../src/request.js'
import { type SignInput, signPayload } from '../../src/signature/sign.js'

export const now = 1_700_000_000
export const secret = 'whsec_test_secret'
export const clock = () => now

export const settled = {
  id: 'evt_1',
  type: 'transfer.settled',
  environment: 'sandbox',
  createdAt: '2026-01-02T03:04:05Z',
  data: { transferId: 'tr_1', status: 'settled', rail: 'mobile_money', ledgerState: 'matched' },
}

export interface DeliverOptions extends Partial<Pick<SignInput, 'secret' | 'timestamp' | 'scheme'>> {
  /** Replace headers of a valid delivery. `undefined` removes one. */
  readonly headers?: Record<string, string | readonly string[] | undefined>
  readonly request?: Partial<ReceiveRequest>
}

/** A signed delivery of a body. It is valid unless the options change it. */
export async function delivery(body: object | string | Uint8Array = settled, options: DeliverOptions = {}) {
  const bytes =
    body instanceof Uint8Array
      ? body
      : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
  const id = typeof body === 'object' && 'id' in body ? String(body.id) : undefined
  const signature = await signPayload({
    body: bytes,
    secret: options.secret ?? secret,
    timestamp: options.timestamp ?? now,
    ...(options.scheme && { scheme: options.scheme }),
    ...(id !== undefined && { id }),
  })
  const headers = {
    'content-type': 'application/json',
    'service-signature': signature,
    'service-event-id': id,
    ...options.headers,
  }
  return {
    method: 'POST',
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    body: bytes,
    ...options.request,
  } satisfies ReceiveRequest
}

/** A logger that records its lines. */
export function lines(): Logger & { readonly written: string[]; readonly causes: unknown[] } {
  const written: string[] = []
  const causes: unknown[] = []
  const write = (level: string) => (line: string, cause?: unknown) => {
    written.push(`${level} ${line}`)
    if (cause !== undefined) {
      causes.push(cause)
    }
  }
  return { written, causes, info: write('info'), warn: write('warn'), error: write('error') }
}
