/** A text as one word of a shell. */
export const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A test that delivers a body to a receiver, signed anew with the secret of the test. `body` is an expression. */
export const asTest = (
  eventId: string,
  eventType: string,
  body: string,
) => `import { expect, test } from 'vitest'
import { signPayload } from 'webhook-inbox'
import { testSecret, testSender } from 'webhook-inbox/testing'
import { receiver } from '../src/receiver.js' // yours, with \`secret: testSecret\`

test(${JSON.stringify(`takes ${eventType} ${eventId}`)}, async () => {
  const id = ${JSON.stringify(eventId)}
  const body = ${body}
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

/** A file for the command line: `webhook-inbox send FILE --to URL` signs and sends it. */
export function downloadFixture(eventId: string, body: BlobPart): void {
  const address = URL.createObjectURL(new Blob([body], { type: 'application/json' }))
  const link = Object.assign(document.createElement('a'), { href: address, download: `${eventId}.json` })
  link.click()
  URL.revokeObjectURL(address)
}
