import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import express from 'express'
import { expect, it } from 'vitest'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { expressHandler } from 'webhook-inbox/express'
import { deliveryOf, testSecret } from 'webhook-inbox/testing'
import { consoleHandler } from '../src/index.js'
import type { Snippet } from '../src/wire.js'
import { listen, openInbox, secret } from './rig.js'

const all = { authorize: () => true, actor: () => 'operator' }
const id = `evt_'"$(touch x)\`;\\`
const data = { phone: '+46701740605', note: `it's "5 $HOME" \`x\`\n*/ \u2028` }

async function openWithEvent(mask?: readonly string[]) {
  const { receiver, sendRaw, until } = await openInbox()
  const event = { id, type: 'a/../b c', created_at: '2026-01-01T00:00:00Z', data }
  await sendRaw(JSON.stringify(event))
  await until(({ dead }) => dead === 1)
  const url = await listen(consoleHandler(receiver, { ...all, ...(mask && { mask }) }))
  return async (query: string): Promise<Snippet> => {
    const response = await fetch(`${url}/api/events/${encodeURIComponent(id)}/snippet?${query}`)
    return (await response.json()) as Snippet
  }
}

/** A receiver of the test secret, and what its handler got. */
function testReceiver() {
  const got: unknown[] = []
  const receiver = createReceiver({
    secret: testSecret,
    store: memoryStore(),
    logger: false,
    async fallback(event: { data: unknown }) {
      got.push(event.data)
    },
  } as never)
  return { receiver, got }
}

it('a curl command delivers the event to a receiver with the test secret', async () => {
  const snippet = await openWithEvent()
  const { text, fileName } = await snippet('as=curl&redact=data.phone')
  expect(fileName).toBe('a-b-c.sh')
  expect(text).not.toContain(secret)
  const { receiver, got } = testReceiver()
  const url = await listen(express().post('/', expressHandler(receiver)))
  const env = { ...process.env, RECEIVER_URL: `${url}/` }
  const { stdout } = await promisify(execFile)('bash', ['-euc', text], { env })
  expect(stdout).not.toContain('"error"')
  expect(got).toEqual([{ ...data, phone: '•••' }])
})

it('a test runs as it is, and a fixture is a delivery', async () => {
  const snippet = await openWithEvent()
  const { text, fileName } = await snippet('as=vitest')
  expect([fileName, text.includes(secret)]).toEqual(['a-b-c.test.ts', false])
  const { receiver, got } = testReceiver()
  const runs: Promise<void>[] = []
  const run = new Function('it', 'expect', 'deliveryOf', 'receiver', text.replace(/^import .*$/gm, ''))
  run((_: string, test: () => Promise<void>) => runs.push(test()), expect, deliveryOf, receiver)
  await Promise.all(runs)
  expect([runs.length, got]).toEqual([1, [data]])

  const other = testReceiver()
  const fixture = await snippet('as=fixture')
  const { headers, body } = JSON.parse(fixture.text)
  expect((await other.receiver.receive({ headers, body: Buffer.from(body) })).outcome).toBe('processed')
  expect([fixture.fileName, other.got]).toEqual(['a-b-c.json', [data]])
})

it('no snippet holds what the mask of the console hides', async () => {
  const snippet = await openWithEvent(['data.phone'])
  for (const kind of ['curl', 'vitest', 'fixture']) {
    const { text } = await snippet(`as=${kind}`)
    expect([kind, text.includes('46701740605'), text.includes('•••')]).toEqual([kind, false, true])
  }
  expect(await snippet('as=postman')).toMatchObject({ code: 'invalid_request' })
  expect(await snippet('as=constructor')).toMatchObject({ code: 'invalid_request' })
})

it('names the paths that redact nothing, whatever the other paths hide', async () => {
  const snippet = await openWithEvent(['data.phone'])
  const paths = ['data', 'data.note', 'data.phone', 'data.nothing', '*.note', 'data.note.x', 'nothing']
  expect(await snippet(`as=curl&redact=${paths}`)).toMatchObject({
    unmatched: ['data.nothing', 'data.note.x', 'nothing'],
  })
  expect(await snippet('as=curl&redact=data.note')).not.toHaveProperty('unmatched')
})
