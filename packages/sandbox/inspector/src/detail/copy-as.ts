import { bytesOf, download, isText } from 'webhook-inbox-ui'
import type { Attempt, FullDelivery, HeaderPairs } from '../api/records.js'

/** What the client of the receiver writes by itself. */
const ownHeaders = new Set(['host', 'content-length', 'connection', 'user-agent'])

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const sentHeaders = (headers: HeaderPairs) => headers.filter(([name]) => !ownHeaders.has(name.toLowerCase()))

/** A shell command that sends the same bytes with the same signature. */
export function asCurl({ url }: FullDelivery, { request }: Attempt): string {
  const bytes = bytesOf(request.bodyBase64)
  const headers = sentHeaders(request.headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`)
  const isPlain = isText(bytes)
  // With --data-binary, a body that starts with @ would name a file.
  const body = isPlain ? `--data-raw ${quoted(request.body)}` : '--data-binary @-'
  const lines = [`curl -i ${quoted(url)}`, ...headers, `  ${body}`]
  const pipe = isPlain ? '' : `printf %s ${quoted(request.bodyBase64)} | base64 -d | `
  return pipe + lines.join(' \\\n')
}

/** A test that delivers the same bytes to a receiver, signed anew with the secret of the test. */
export function asTest({ eventId, eventType }: FullDelivery, { request }: Attempt): string {
  return `import { expect, test } from 'vitest'
import { signPayload } from 'webhook-inbox'
import { testSecret, testSender } from 'webhook-inbox/testing'
import { receiver } from '../src/receiver.js' // yours, with \`secret: testSecret\`

test(${JSON.stringify(`takes ${eventType} ${eventId}`)}, async () => {
  const id = ${JSON.stringify(eventId)}
  const body = Buffer.from(${JSON.stringify(request.bodyBase64)}, 'base64')
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = await signPayload({ body, id, timestamp, secret: testSecret })
  const headers = {
    'content-type': 'application/json',
    'service-event-id': id,
    'service-signature': signature,
  }
  const answer = await testSender({ receiver }).deliver({ body, headers })
  expect(answer.status).toBe(200)
})
`
}

/** A file for the command line: `webhook-inbox send FILE --to URL` signs and sends it. */
export const downloadFixture = ({ eventId }: FullDelivery, { request }: Attempt) =>
  download(`${eventId}.json`, bytesOf(request.bodyBase64))
