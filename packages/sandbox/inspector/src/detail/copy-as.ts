import { asTest, bytesOf, copyText, downloadFixture, isText, quoted } from 'webhook-inbox-ui'
import type { Attempt, FullDelivery, HeaderPairs } from '../api/records.js'

/** What the client of the receiver writes by itself. */
const ownHeaders = new Set(['host', 'content-length', 'connection', 'user-agent'])

const sentHeaders = (headers: HeaderPairs) => headers.filter(([name]) => !ownHeaders.has(name.toLowerCase()))

/** A shell command that sends the same bytes with the same signature. */
export function asCurl({ url }: FullDelivery, { request }: Attempt): string {
  const bytes = bytesOf(request.bodyBase64)
  const headers = sentHeaders(request.headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`)
  const isPlain = isText(bytes)
  const body = isPlain ? quoted(request.body) : '@-'
  const lines = [`curl -i ${quoted(url)}`, ...headers, `  --data-binary ${body}`]
  const pipe = isPlain ? '' : `printf %s ${quoted(request.bodyBase64)} | base64 -d | `
  return pipe + lines.join(' \\\n')
}

/** Copies a test that delivers the same bytes to a receiver. */
export const copyAsTest = ({ eventId, eventType }: FullDelivery, { request }: Attempt) =>
  copyText(
    asTest(eventId, eventType, `Buffer.from(${JSON.stringify(request.bodyBase64)}, 'base64')`),
    'a vitest test',
  )

/** Saves the same bytes as a file. */
export const downloadBody = ({ eventId }: FullDelivery, { request }: Attempt) =>
  downloadFixture(eventId, bytesOf(request.bodyBase64))
