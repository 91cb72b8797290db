import type { SignedBody } from 'webhook-inbox/testing'
import type { WireRequest } from '../http/exchange.js'

/** The same delivery with another header, which may be sent on several lines. */
export function withHeader(
  { headers, body }: SignedBody,
  name: string,
  value: string | readonly string[],
): WireRequest & { readonly body: Uint8Array } {
  return { headers: { ...headers, [name]: value }, body }
}

export const signatureOf = ({ headers }: SignedBody) => headers['service-signature'] as string
