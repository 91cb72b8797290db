import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifySignature } from 'webhook-inbox'
import { webhookInbox } from '../in-process.js'

const secret = 'whsec_of_the_receiver'
const folder = mkdtempSync(join(tmpdir(), 'start-'))
writeFileSync(join(folder, 'secret'), `${secret}\n`)

interface Received {
  readonly body: Buffer
  readonly header: string
}
const received: Received[] = []
const receiver = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  received.push({ body, header: String(request.headers['service-signature']) })
  response.end()
})
let url: string
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`
})
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
  rmSync(folder, { recursive: true })
})

/** Runs `sandbox start` until it has started and something has happened. */
async function started(
  args: readonly string[],
  env: Record<string, string> = {},
  happens: (origin: string) => Promise<unknown> = async () => {},
) {
  const ending = new AbortController()
  const written: string[] = []
  const ran = webhookInbox(['sandbox', ...args, '--port', '0'], { env, signal: ending.signal, written })
  let isOver = false
  void ran.then(() => {
    isOver = true
  })
  while (!isOver && !/127\.0\.0\.1:\d+/.test(written.join(''))) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const [origin = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(written.join('').replaceAll(url, '')) ?? []
  if (!isOver) {
    await happens(origin)
  }
  ending.abort()
  return { origin, ...(await ran) }
}

const emit = (origin: string) =>
  webhookInbox(['sandbox', 'emit', 'a.b', '--url', origin]).then(async () => {
    await expect.poll(() => received.length).toBe(1)
  })

describe('sandbox start', () => {
  it('is what sandbox does without a command, prints its address, and ends at Ctrl-C', async () => {
    const { code, stdout, origin } = await started(['--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ type: 'started', url: origin })
    expect((await started(['start'])).code).toBe(0)
  })

  it.each<[string, string[], Record<string, string>]>([
    ['the variable', [], { WEBHOOK_SECRET: secret }],
    ['a file', ['--secret-file', join(folder, 'secret')], { WEBHOOK_SECRET: 'whsec_of_another_one' }],
    ['the command line', [`--secret=${secret}`], { WEBHOOK_SECRET: 'whsec_of_another_one' }],
  ])('signs with the secret of %s for --forward-to, and does not print it', async (_, args, env) => {
    received.length = 0
    const { code, stdout, stderr } = await started(['--json', '--forward-to', url, ...args], env, emit)
    const [{ body, header }] = received as [Received]
    await verifySignature({ body, header, secret })
    expect(code).toBe(0)
    expect(stdout + stderr).not.toContain('whsec_of_')
    expect(JSON.parse(stdout.split('\n')[0] ?? '').forwarding).toMatchObject([{ url }])
  })

  it('has a secret of its own without either, and for no receiver', async () => {
    const config = async (origin: string) => (await fetch(`${origin}/_sandbox/config`)).json()
    let subscriptions: { readonly secret: string }[] = []
    await started(['--json', '--forward-to', url], {}, async (origin) => {
      subscriptions = (await config(origin)).subscriptions
    })
    expect(subscriptions).toMatchObject([{ secret: expect.stringMatching(/^whsec_/) }])
    const { stdout, stderr } = await started(['--json'], { WEBHOOK_SECRET: 'whsec_of_another_program' })
    expect(stdout + stderr).not.toContain('WEBHOOK_SECRET')
  })

  it.each<[string, string[], boolean]>([
    ['of the command line', ['--secret', secret], true],
    ['of a file', ['--secret-file', join(folder, 'secret')], true],
    ['of their own, and not that of the variable', [], false],
  ])('without a receiver, gives later subscriptions a secret %s', async (_, args, isGiven) => {
    let made = ''
    await started(['--json', ...args], { WEBHOOK_SECRET: 'whsec_of_another_one' }, async (origin) => {
      const response = await fetch(`${origin}/v1/webhook-subscriptions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk_sandbox_local', 'content-type': 'application/json' },
        body: JSON.stringify({ url, events: ['*'] }),
      })
      made = (await response.json()).secret
    })
    expect(made).toMatch(/^whsec_/)
    expect([made === secret, made === 'whsec_of_another_one']).toEqual([isGiven, false])
  })

  it('passes its flags on', async () => {
    const args = [
      '--json',
      '--clock',
      'virtual',
      '--forward-to',
      url,
      '--forward-to',
      `${url}/2`,
      '--retry=none',
    ]
    let clock: unknown
    const { stdout } = await started(args, { WEBHOOK_SECRET: '' }, async (origin) => {
      clock = await (await fetch(`${origin}/_sandbox/clock`)).json()
    })
    expect(clock).toMatchObject({ kind: 'virtual' })
    expect(JSON.parse(stdout.split('\n')[0] ?? '').forwarding).toMatchObject([{ url }, { url: `${url}/2` }])
  })

  it.each([
    [['--secret', secret, '--secret-file', 'x'], {}, '--secret and --secret-file are both given; choose one'],
    [['--secret-file', 'none'], {}, 'cannot read none: there is no such file'],
    [
      ['--forward-to', 'http://127.0.0.1:1/'],
      { WEBHOOK_SECRET: ' ' },
      'the secret in WEBHOOK_SECRET is empty',
    ],
  ])('rejects %j', async (args, env, message) => {
    const { code, stderr } = await started(args, env)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`webhook-inbox: ${message}\n`)])
  })

  it('rejects what the sandbox rejects', async () => {
    const { code, stderr } = await webhookInbox(['sandbox', 'start', '--port', 'none'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('--port')])
  })

  it('ends immediately where Ctrl-C came before', async () => {
    const { code } = await webhookInbox(['sandbox', 'start', '--port', '0'], { signal: AbortSignal.abort() })
    expect(code).toBe(0)
  })
})
