import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createReceiver, memoryStore, verifySignature } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { webhookInbox } from './in-process.js'

const secret = 'whsec_test_send_secret'
const env = { WEBHOOK_SECRET: secret }
const closers: (() => void)[] = []
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'send-'))
})
afterEach(async () => {
  for (const close of closers.splice(0)) {
    close()
  }
  await rm(folder, { recursive: true })
})

async function listen(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
}

interface Recorded {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Answers every request with this status and keeps what arrived. */
async function recorder(status = 200): Promise<{ url: string; requests: Recorded[] }> {
  const requests: Recorded[] = []
  const url = await listen((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      requests.push({ headers: request.headers, body: Buffer.concat(chunks) })
      response.writeHead(status).end('seen')
    })
  })
  return { url, requests }
}

const receiver = () =>
  listen(nodeHandler(createReceiver({ secret, store: memoryStore(), fallback: () => {}, logger: false })))

const send = (...args: string[]) => webhookInbox(['send', ...args], { env })

describe('webhook-inbox send', () => {
  it('sends a sample event of a type, and prints status, verdict and body', async () => {
    const { code, stdout, stderr } = await send('transfer.settled', '--to', await receiver())
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^transfer\.settled evt_\w+ -> http/)
    expect(stdout).toMatch(/200 {2}\d+ ms {2}processed {2}as expected\n +\{"outcome":"processed"/)
  })

  it('sends the bytes of a file as they are, with their signature and id', async () => {
    const { url, requests } = await recorder()
    const text = '{ "id": "evt_9",\r\n "n": 1.0 }\n'
    const file = join(folder, 'event.json')
    await writeFile(file, text)
    expect((await send(file, '--to', url)).code).toBe(0)
    const [{ headers, body } = { headers: {}, body: Buffer.of() }] = requests
    expect(body.toString()).toBe(text)
    expect(headers['service-event-id']).toBe('evt_9')
    const header = String(headers['service-signature'])
    await expect(verifySignature({ body, header, secret })).resolves.toBeDefined()
  })

  it('sends the body of a fixture that a page copied, signed anew', async () => {
    const { url, requests } = await recorder()
    const text = '{ "id": "evt_9",  "n": 1.0 }'
    const file = join(folder, 'fixture.json')
    const stale = { 'service-event-id': 'evt_9', 'service-signature': 't=1,v1=00' }
    await writeFile(file, JSON.stringify({ headers: stale, body: text }))
    expect((await send(file, '--to', url)).code).toBe(0)
    const [{ headers, body } = { headers: {}, body: Buffer.of() }] = requests
    expect([body.toString(), headers['service-event-id']]).toEqual([text, 'evt_9'])
    const header = String(headers['service-signature'])
    await expect(verifySignature({ body, header, secret })).resolves.toBeDefined()
  })

  it('sets fields, as JSON or as text', async () => {
    const { url, requests } = await recorder()
    const fields = [
      'data.transferId=tr_9',
      'data.amount="10.50"',
      'data.legs=[1]',
      'data.a.b=true',
      'id=evt_7',
    ]
    const { code } = await send('transfer.settled', '--to', url, ...fields.flatMap((each) => ['--set', each]))
    expect(code).toBe(0)
    const event = JSON.parse(String(requests[0]?.body))
    expect(event).toMatchObject({
      id: 'evt_7',
      data: { transferId: 'tr_9', amount: '10.50', legs: [1], a: { b: true }, status: 'settled' },
    })
    expect(requests[0]?.headers['service-event-id']).toBe('evt_7')
  })

  it('sets a field named __proto__ as any other', async () => {
    const { url, requests } = await recorder()
    await send('transfer.settled', '--to', url, '--set', '__proto__.isAdmin=true')
    expect(String(requests[0]?.body)).toContain('"__proto__":{"isAdmin":true}')
    expect({}).not.toHaveProperty('isAdmin')
  })

  it('writes the snake_case envelope', async () => {
    const { url, requests } = await recorder()
    await send('ledger.matched', '--to', url, '--envelope', 'snake')
    expect(JSON.parse(String(requests[0]?.body))).toMatchObject({ created_at: expect.any(String) })
  })

  it('sends an event several times with one id', async () => {
    const { code, stdout } = await send('transfer.settled', '--to', await receiver(), '--times', '3')
    expect(code).toBe(0)
    expect(stdout.match(/processed|duplicate/g)).toEqual(
      expect.arrayContaining(['processed', 'duplicate', 'duplicate']),
    )
  })

  it('sends an event several times concurrently', async () => {
    const args = ['transfer.settled', '--to', await receiver(), '--times', '8', '--concurrent', '--json']
    const { code, stdout } = await send(...args)
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  })

  it.each(['--stale', '--tamper'])('expects a rejection with %s', async (flag) => {
    const refused = await send('transfer.settled', '--to', await receiver(), flag)
    expect([refused.code, refused.stdout]).toEqual([
      0,
      expect.stringMatching(/401 .*rejected \w+ +as expected/),
    ])
    const { url } = await recorder()
    const acknowledged = await send('transfer.settled', '--to', url, flag)
    expect([acknowledged.code, acknowledged.stdout]).toEqual([1, expect.stringContaining('expected a 4xx')])
  })

  it('exits with 1 if a valid event is rejected', async () => {
    const { url } = await recorder(500)
    const { code, stdout } = await send('transfer.settled', '--to', url)
    expect([code, stdout]).toEqual([1, expect.stringContaining('500')])
  })

  it('exits with 3 if nothing listens', async () => {
    const url = await recorder()
    for (const close of closers.splice(0)) {
      close()
    }
    const { code, stderr } = await send('transfer.settled', '--to', url.url)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('nothing listens') })
  })

  it('reports a type without sample data', async () => {
    const { url } = await recorder()
    const { code, stderr } = await send('transfer.setled', '--to', url)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('no sample data; did you mean transfer.settled?'),
    })
  })

  it.each([
    [['transfer.settled'], 'name the endpoint with --to URL'],
    [['transfer.settled', '--to', 'ftp://x'], '--to must be an http or https URL'],
    [
      ['transfer.settled', '--to', 'http://127.0.0.1:1', '--times', '0'],
      '--times must be a whole number from 1',
    ],
    [['transfer.settled', '--to', 'http://127.0.0.1:1', '--set', 'x'], '--set must be a path and a value'],
    [['transfer.settled', '--to', 'http://127.0.0.1:1', '--set', 'id.x=1'], 'id is not an object'],
    [['no-such.json', '--to', 'http://127.0.0.1:1'], 'cannot read no-such.json'],
    [['./no-such', '--to', 'http://127.0.0.1:1', '--envelope', 'snake'], '--envelope is for a TYPE'],
  ])('rejects %j', async (args, message) => {
    const { code, stderr } = await send(...args)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  })
})

describe('--set of a field that the event does not have', () => {
  const warning = (path: string, name: string, meant: string) =>
    `warning: --set ${path}: an event has no field ${name} beside its data; did you mean --set ${meant}=...?\n`

  it.each([
    ['transferId=tr_9', warning('transferId', 'transferId', 'data.transferId')],
    ['amount.value=1', warning('amount.value', 'amount', 'data.amount.value')],
    ['enviroment=live', warning('enviroment', 'enviroment', 'environment')],
    ['data.transferId=tr_9', ''],
    ['environment=live', ''],
  ])('%s', async (field, stderr) => {
    const { url, requests } = await recorder()
    const sent = await send('transfer.settled', '--to', url, '--set', field)
    expect(sent).toMatchObject({ code: 0, stderr })
    expect(requests).toHaveLength(1)
  })

  it('is said of a file too, but not of a field that the file has', async () => {
    const { url } = await recorder()
    const file = join(folder, 'event.json')
    await writeFile(file, JSON.stringify({ id: 'evt_1', tenant: 'a', data: {} }))
    const { stderr } = await send(file, '--to', url, '--set', 'tenant=b', '--set', 'amount=1')
    expect(stderr).toBe(warning('amount', 'amount', 'data.amount'))
  })
})
