import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifySignature } from 'webhook-inbox'
import { createClient } from 'webhook-inbox-client'
import { createSandbox, type Sandbox } from 'webhook-inbox-sandbox'
import { builtProgram } from './built.js'
import { webhookInbox } from './in-process.js'

interface Received {
  readonly body: Buffer
  readonly header: string
}

let sandbox: Sandbox
let receiver: Server
let url: string
let received: Received[]

beforeEach(async () => {
  received = []
  receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    received.push({ body, header: String(request.headers['service-signature']) })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"outcome":"processed"}')
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`
  sandbox = await createSandbox({ port: 0, retry: 'none', clock: 'virtual' })
})
afterEach(async () => {
  await sandbox.close()
  receiver.closeAllConnections()
  receiver.close()
})

const call = (args: readonly string[]) => webhookInbox(['sandbox', ...args], { env: { NO_COLOR: '1' } })

it('listen delivers until Ctrl-C, and ends the subscription', async () => {
  const args = [
    'sandbox',
    'listen',
    '--forward-to',
    url,
    '--events',
    'ledger.*',
    '--json',
    '--url',
    sandbox.url,
  ]
  const child = spawn(process.execPath, [await builtProgram(), ...args])
  const printed = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await printed.next()).value as string)

  expect(await next()).toMatchObject({ type: 'listening', url, secret: expect.stringMatching(/^whsec_/) })
  await sandbox.emit('transfer.settled')
  const event = await sandbox.emit('ledger.matched')
  expect(await next()).toMatchObject({
    type: 'attempt',
    delivery: { eventId: event.id, state: 'delivered' },
  })

  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
  await sandbox.emit('ledger.matched')
  await sandbox.idle()
  expect(received).toHaveLength(1)
})

describe('sandbox start', () => {
  it.each([
    ['the variable', [], { WEBHOOK_SECRET: 'whsec_of_the_receiver' }],
    ['a file', ['--secret-file'], { WEBHOOK_SECRET: 'whsec_of_another' }],
    ['the command line', ['--secret=whsec_of_the_receiver'], { WEBHOOK_SECRET: 'whsec_of_another' }],
  ])('signs with the secret of %s for --forward-to, and does not print it', async (_, [option], env) => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'))
    const file = join(folder, 'secret')
    await writeFile(file, 'whsec_of_the_receiver\n')
    const args = option === '--secret-file' ? [`${option}=${file}`] : option ? [option] : []
    const start = ['sandbox', '--port', '0', '--forward-to', url, '--json', ...args]
    const child = spawn(process.execPath, [await builtProgram(), ...start], {
      env: { ...process.env, ...env },
    })
    const printed = Promise.all([text(child.stdout), text(child.stderr)])
    const [line] = await once(createInterface(child.stdout), 'line')
    const started = JSON.parse(line)
    await call(['emit', 'a.b', '--url', started.url])
    await expect.poll(() => received).toHaveLength(1)
    child.kill('SIGINT')
    await rm(folder, { recursive: true })
    const [{ body, header }] = received as [Received]
    await verifySignature({ body, header, secret: 'whsec_of_the_receiver' })
    expect(started.forwarding).toEqual([{ url, id: expect.any(String) }])
    const [stdout, stderr] = await printed
    expect(stderr).toContain('secret      <the secret that you gave>')
    expect(stdout + stderr).not.toContain('whsec_of_')
  })

  it('does not use the variable WEBHOOK_SECRET without --forward-to', async () => {
    const child = spawn(process.execPath, [await builtProgram(), 'sandbox', '--port', '0', '--json'], {
      env: { ...process.env, WEBHOOK_SECRET: 'whsec_of_another_program' },
    })
    const printed = Promise.all([text(child.stdout), text(child.stderr)])
    const [line] = await once(createInterface(child.stdout), 'line')
    const { url: origin } = JSON.parse(line)
    const variables = JSON.parse((await call(['env', '--json', '--url', origin])).stdout)
    const client = await createClient({ apiKey: variables.SERVICE_API_KEY, baseUrl: variables.SERVICE_URL })
    const { secret } = await client.webhookSubscriptions.create({ url, events: ['*'] })
    child.kill('SIGINT')
    expect([secret, ...(await printed)].join()).not.toContain('whsec_of_another_program')
  })

  it('starts, prints its address, and ends at Ctrl-C with status 0', async () => {
    const program = await builtProgram()
    const child = spawn(process.execPath, [program, 'sandbox', '--port', '0', '--forward-to', url, '--json'])
    const [line] = await once(child.stdout, 'data')
    const started = JSON.parse(String(line).split('\n')[0] as string)
    expect(started).toMatchObject({ type: 'started', forwarding: [{ url }] })
    const { code, stdout } = await call(['env', '--url', started.url])
    expect(code).toBe(0)
    expect(stdout).toContain(started.forwarding[0].secret)
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
