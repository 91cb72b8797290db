import { deliveryOf, testSecret } from 'webhook-inbox/testing'

/** An event as something to run elsewhere. Signed with the secret of the test kit, never with the secret of the receiver. */
export type SnippetKind = 'curl' | 'vitest' | 'fixture'

interface Source {
  readonly id: string
  readonly body: string
}

export const snippets: Readonly<Record<SnippetKind, (event: Source) => string | Promise<string>>> = {
  /** A signature is valid for minutes, so the command signs when it runs. */
  curl: ({ id, body }) => `BODY=${shellText(body)}
SECRET=${shellText(testSecret)}
TIME=$(date +%s)
SIGNATURE=$(printf '%s.%s' "$TIME" "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1)
curl "\${RECEIVER_URL:?set it to the address of a receiver with the test secret}" \\
  -H 'Content-Type: application/json' \\
  -H ${shellText(`Service-Event-Id: ${headerText(id)}`)} \\
  -H "Service-Signature: t=$TIME,v1=$SIGNATURE" \\
  --data-raw "$BODY"
`,

  vitest: ({ id, body }) => `import { expect, it } from 'vitest'
import { deliveryOf } from 'webhook-inbox/testing'
// A receiver whose secret is testSecret of webhook-inbox/testing.
import { receiver } from './receiver.js'

it('receives the event', async () => {
  const id = ${JSON.stringify(id)}
  const body = ${JSON.stringify(body)}
  const { outcome } = await receiver.receive(await deliveryOf(body, { id }))
  expect(outcome).toMatch(/^(?:accepted|processed)$/)
})
`,

  /** One delivery, signed now. `deliveryOf(body)` of the test kit signs it again. */
  async fixture({ id, body }) {
    const { headers } = await deliveryOf(body, { id, secret: testSecret })
    return `${JSON.stringify({ headers, body }, undefined, 2)}\n`
  },
}

/** A text in single quotes for a shell. Only the quote needs escaping. */
const shellText = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A line break from a sender must not begin another header. */
const headerText = (text: string) => text.replace(/[^\x20-\x7e]/g, '?')

/** A file name without characters that are special in a path or a shell. */
export const fileNameOf = (type: string, kind: SnippetKind): string => {
  const ends = { curl: 'sh', vitest: 'test.ts', fixture: 'json' }
  return `${type.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60) || 'event'}.${ends[kind]}`
}
