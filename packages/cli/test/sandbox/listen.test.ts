import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSandbox } from 'webhook-inbox-sandbox'
import { webhookInbox } from '../in-process.js'

/** A sandbox and a receiver that answers with a status. */
async function open(status = 200) {
  const sandbox = await createSandbox({ port: 0, retry: 'none', clock: 'virtual' })
  const receiver = createServer(async (request, response) => {
    await request.toArray()
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"outcome":"processed"}')
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    await sandbox.close()
    receiver.closeAllConnections()
    receiver.close()
  })
  return { sandbox, url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks` }
}

/** Runs `sandbox listen` until something has happened. */
async function listened(
  { sandbox, url }: Awaited<ReturnType<typeof open>>,
  args: readonly string[],
  happens: (shown: (text: string) => Promise<void>) => Promise<unknown>,
  how: { readonly columns?: number; readonly env?: Record<string, string> } = {},
) {
  const ending = new AbortController()
  const written: string[] = []
  const ran = webhookInbox(['sandbox', 'listen', '--forward-to', url, ...args], {
    env: { SANDBOX_URL: sandbox.url, ...how.env },
    signal: ending.signal,
    isStderrPiped: true,
    written,
    ...(how.columns && { columns: how.columns }),
  })
  const isSubscribed = async () => (await subscriptions(sandbox.url)).length > 0
  while (!(await isSubscribed())) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const [subscription] = await subscriptions(sandbox.url)
  await happens(async (text) => {
    while (!written.join('').includes(text)) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })
  ending.abort()
  const { code, stdout, stderr } = await ran
  return { code, stderr, lines: stdout.replaceAll(url, 'URL').split('\n').slice(0, -1), subscription }
}

interface Subscription {
  readonly id: string
  readonly secret: string
  readonly events: readonly string[]
  readonly envelope?: string
}

async function subscriptions(origin: string): Promise<Subscription[]> {
  const config = await (await fetch(`${origin}/_sandbox/config`)).json()
  return config.subscriptions
}

describe('sandbox listen', () => {
  it('prints the secret and each attempt, and ends the subscription', async () => {
    const setting = await open()
    const { sandbox } = setting
    let id = ''
    const { code, stderr, lines, subscription } = await listened(
      setting,
      ['--events', 'ledger.*,transfer.failed'],
      async (shown) => {
        await sandbox.emit('transfer.settled')
        id = (await sandbox.emit('ledger.matched')).id
        await shown('200 processed')
      },
      { columns: 80, env: { NO_COLOR: '1' } },
    )
    expect([code, stderr]).toEqual([0, ''])
    expect(lines).toEqual([
      'delivering  ledger.*,transfer.failed -> URL',
      `secret      export WEBHOOK_SECRET='${subscription?.secret}'`,
      expect.stringMatching(`^2\\S+Z  ledger\\.matched  ${id}  attempt 1 of 1  200 processed$`),
    ])
    expect(subscription?.events).toEqual(['ledger.*', 'transfer.failed'])
    expect(await subscriptions(sandbox.url)).toEqual([])
  })

  it('prints JSON lines with --json, of its own subscription alone', async () => {
    const setting = await open(500)
    const { sandbox, url } = setting
    const { lines, subscription } = await listened(
      setting,
      ['--json', '--envelope', 'snake'],
      async (shown) => {
        await sandbox.subscribe({ url, events: ['*'] })
        await sandbox.emit('a.b')
        await sandbox.idle()
        await shown('"status":500')
      },
    )
    const [first, ...rest] = lines.map((line) => JSON.parse(line))
    expect(first).toEqual({
      type: 'listening',
      id: subscription?.id,
      url: 'URL',
      secret: subscription?.secret,
    })
    expect(rest).toEqual([
      {
        type: 'attempt',
        number: 1,
        of: 1,
        delivery: expect.objectContaining({ subscriptionId: subscription?.id, eventType: 'a.b' }),
        attempt: expect.objectContaining({ number: 1, response: expect.objectContaining({ status: 500 }) }),
      },
    ])
  })

  it.each([
    [200, '\u001b[32m200 processed\u001b[39m'],
    [299, '\u001b[32m299 processed\u001b[39m'],
    [300, '\u001b[31m300 processed\u001b[39m'],
    [500, '\u001b[31m500 processed\u001b[39m'],
  ])('shows the status %i in its color', async (status, verdict) => {
    const setting = await open(status)
    const { lines } = await listened(
      setting,
      [],
      async (shown) => {
        await setting.sandbox.emit('a.b')
        await shown(' processed')
      },
      { columns: 80 },
    )
    expect(lines[0]).toBe('delivering  * -> URL')
    expect(lines[2]?.slice(lines[2].indexOf('of 1  ') + 6)).toBe(verdict)
  })

  it('exits with 3 where the sandbox ends', async () => {
    const setting = await open()
    const { code, stderr } = await listened(setting, [], async (shown) => {
      await setting.sandbox.close()
      await shown('webhook-inbox: ')
    })
    expect([code, stderr]).toEqual([3, 'webhook-inbox: the sandbox has ended\n'])
  })

  it.each([
    [[], 'name the receiver with --forward-to URL'],
    [
      ['--forward-to', 'x'],
      '--forward-to must be an http or https URL, such as http://127.0.0.1:3000/webhooks',
    ],
  ])('rejects %j', async (args, message) => {
    const { code, stderr } = await webhookInbox(['sandbox', 'listen', ...args])
    expect([code, stderr]).toEqual([
      2,
      `webhook-inbox: ${message}\nSee webhook-inbox sandbox listen --help.\n`,
    ])
  })
})
