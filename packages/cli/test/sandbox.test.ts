import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifySignature } from 'webhook-inbox'
import { createSandbox, type Sandbox } from 'webhook-inbox-sandbox'
import { faults } from '../src/sandbox/faults.js'
import { sandbox as group } from '../src/sandbox.js'
import { type Setting, webhookInbox } from './in-process.js'

interface Received {
  readonly body: Buffer
  readonly header: string
}

let sandbox: Sandbox
let receiver: Server
let url: string
let received: Received[]
let status: number

beforeEach(async () => {
  received = []
  status = 200
  receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    received.push({ body, header: String(request.headers['service-signature']) })
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"outcome":"processed"}')
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

const call = (args: readonly string[], setting: Setting = {}) =>
  webhookInbox(['sandbox', ...args], {
    ...setting,
    env: { SANDBOX_URL: sandbox.url, NO_COLOR: '1', ...setting.env },
  })
const lines = (text: string) => text.trimEnd().split('\n')

describe('sandbox approve', () => {
  /** A transfer that waits for an approval. */
  async function wait(): Promise<string> {
    const { id } = JSON.parse((await call(['transfer', '--rail', 'sim_approval', '--json'])).stdout)
    await call(['clock', '--advance', '1m'])
    return id
  }

  it('approves the only transfer that waits, and its events follow', async () => {
    await sandbox.subscribe({ url, events: ['transfer.*', 'approval.*'] })
    const id = await wait()
    expect(await call(['approve'])).toMatchObject({ code: 0, stdout: `${id}  approved\n` })
    await call(['clock', '--advance', '1m'])
    const types = received.map(({ body }) => JSON.parse(String(body)).type)
    expect(types).toEqual(expect.arrayContaining(['approval.updated', 'transfer.settled']))
  })

  it('takes the id of a transfer or of an approval, and rejects with --reject', async () => {
    const [first, second] = [await wait(), await wait()]
    const several = await call(['approve'])
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining(`${first}`)])
    const approved = JSON.parse((await call(['approve', first, '--json'])).stdout)
    expect(approved).toMatchObject({ transferId: first, status: 'approved' })
    expect((await call(['approve', second, '--reject'])).stdout).toBe(`${second}  rejected\n`)
    const again = await call(['approve', approved.id])
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is already approved')])
    expect(again.stderr).not.toContain('clock')
    const none = await call(['approve'])
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining('no transfer waits for an approval'),
    ])
  })
})

describe('sandbox', () => {
  it('takes every fault that the documents list', async () => {
    const { code, stdout } = await call(['chaos', ...Object.keys(faults).map((name) => `${name}=0.5`)])
    expect([
      code,
      lines(stdout)
        .map((line) => line.split(' ')[0])
        .sort(),
    ]).toEqual([0, Object.keys(faults).sort()])
  })

  it('names the setting of a fault as it was given', async () => {
    const { code, stderr } = await call(['chaos', 'skew=1', 'skew.seconds=ten'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('skew.seconds is a number')])
    expect(stderr).not.toContain('all.')
  })

  it('seeds lists wallets and rails', async () => {
    const { code, stdout } = await call(['seeds'], { columns: 100 })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^wallet_kes_ada +cus_ada +1000000\.00 KES$/m)
    expect(stdout).toMatch(/^sim_fail_funds +Fails/m)
    expect(JSON.parse((await call(['seeds', '--json'])).stdout).wallets).toHaveLength(6)
  })

  it('emit warns of a path that begins at the event', async () => {
    const { code, stderr } = await call(['emit', 'transfer.failed', '--set', 'data.transferId=tr_9'])
    const advice = 'this one is data.data.transferId; did you mean --set transferId=...?'
    expect([code, stderr]).toEqual([0, expect.stringContaining(advice)])
  })

  it('emit delivers an event with its data', async () => {
    const { id, secret } = await sandbox.subscribe({ url, events: ['*'] })
    const { code, stdout } = await call(['emit', 'transfer.failed', '--set', 'transferId=tr_9'])
    expect(code).toBe(0)
    await sandbox.waitForDelivery({ type: 'transfer.failed' })
    const [first] = received
    expect(JSON.parse(String(first?.body))).toMatchObject({
      id: stdout.split(' ')[0],
      data: { transferId: 'tr_9' },
    })
    await verifySignature({ body: first?.body as Buffer, header: first?.header, secret })
    expect(id).toMatch(/^whe_/)
  })

  it('transfer pays a wallet or a telephone', async () => {
    await sandbox.subscribe({ url, events: ['transfer.*'] })
    const toWallet = await call(['transfer', '--rail', 'sim_fail_funds', '--amount', '3'])
    expect(toWallet.stdout).toMatch(/^tr_\w+ {2}pending\n$/)
    await sandbox.advance({ seconds: 5 })
    await sandbox.waitForDelivery({ type: 'transfer.failed' })
    const toPhone = await call(['transfer', '--phone', '+254700000001', '--json'])
    expect(JSON.parse(toPhone.stdout)).toMatchObject({ destination: { phone: '+254700000001' } })
  })

  it.each([
    [['transfer', '--rail', 'sim_unknown'], 'rail'],
    [['transfer', '--amount', 'ten'], '--amount must be'],
    [['transfer', '--network', 'sim_late'], '--network goes with --phone'],
    [['transfer', '--phone', '+254700000001', '--to', 'wallet_kes_ben'], '--phone goes with --network'],
    [['replay', 'evt_unknown'], 'evt_unknown'],
    [['deliveries', 'dlv_unknown'], 'dlv_unknown'],
    [['deliveries', '--state', 'lost'], 'must be one of'],
    [['emit', 'no type'], 'event type'],
    [['chaos', 'drop'], 'drop=0.5'],
    [['chaos', 'drop=2'], 'a probability is 0 to 1, such as drop=0.5'],
    [['chaos', 'drop='], 'a probability is 0 to 1'],
    [['chaos', 'drop=-1'], 'a probability is 0 to 1'],
    [
      ['chaos', 'duplicat=1'],
      'there is no fault duplicat; did you mean duplicate?; the faults are latency, drop, ',
    ],
    [['chaos', 'slow.seconds=1'], 'there is no fault slow; the faults are latency, drop, '],
    [['env', '--subscription', 'whe_unknown'], 'no subscription'],
    [['listen'], '--forward-to URL'],
    [['clok'], 'did you mean clock?'],
  ])('%j is rejected in one line', async (args, message) => {
    const { code, stderr } = await call(args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('replay delivers again, and fails where the receiver does', async () => {
    await sandbox.subscribe({ url, events: ['*'] })
    const event = await sandbox.emit('ledger.matched')
    await sandbox.waitForDelivery({ eventId: event.id })
    const good = await call(['replay', event.id, '--times', '3', '--concurrent'])
    expect(good.code).toBe(0)
    expect(lines(good.stdout)).toHaveLength(3)
    expect(new Set(received.map(({ body }) => String(body))).size).toBe(1)
    status = 500
    expect((await call(['replay', event.id, '--json'])).code).toBe(1)
  })

  it('replay --new-id delivers a copy of the event with a new id', async () => {
    await sandbox.subscribe({ url, events: ['*'] })
    const event = await sandbox.emit('ledger.matched')
    await sandbox.waitForDelivery({ eventId: event.id })
    expect((await call(['replay', event.id, '--new-id'])).code).toBe(0)
    const [first, second] = received.map(({ body }) => JSON.parse(String(body)))
    expect(second.data).toEqual(first.data)
    expect(second.id).not.toBe(first.id)
  })

  it('deliveries are a table in a terminal and JSON lines in a pipe', async () => {
    await sandbox.subscribe({ url, events: ['*'] })
    expect((await call(['deliveries'], { columns: 120 })).stdout).toBe('No delivery matches.\n')
    const event = await sandbox.emit('ledger.matched')
    await sandbox.waitForDelivery({ eventId: event.id })
    const table = await call(['deliveries', '--event', event.id], { columns: 120 })
    expect(table.stdout).toMatch(
      /^CREATED +STATE +ATTEMPTS +TYPE +EVENT +DELIVERY\n.* delivered +1 +ledger\.matched +evt_/,
    )
    const [line] = lines((await call(['deliveries', '--state', 'delivered'])).stdout)
    const { id } = JSON.parse(line as string)
    const one = await call(['deliveries', id], { columns: 120 })
    expect(one.stdout).toMatch(/^1 +\S+ +\d+ ms +200 processed +\{"outcome":"processed"\}$/m)
    expect(JSON.parse((await call(['deliveries', id, '--json'])).stdout).tries).toHaveLength(1)
  })

  it('clock advances', async () => {
    const before = JSON.parse((await call(['clock', '--json'])).stdout)
    const after = await call(['clock', '--advance', '2h'])
    expect(Date.parse(after.stdout.split(' ')[0] as string) - Date.parse(before.now)).toBe(7_200_000)
  })

  it('chaos sets faults, for all or for one, and switches them off', async () => {
    const { id } = await sandbox.subscribe({ url, events: ['*'] })
    expect((await call(['chaos'])).stdout).toContain('No faults')
    await call(['chaos', 'drop=0.5', 'latency=1', 'latency.seconds=3', '--seed', '7'])
    const own = await call(['chaos', 'duplicate=1', '--subscription', id, '--json'])
    expect(JSON.parse(own.stdout)).toMatchObject({
      seed: 7,
      all: { drop: { probability: 0.5 }, latency: { probability: 1, seconds: 3 } },
      subscriptions: { [id]: { duplicate: { probability: 1 } } },
    })
    expect((await call(['chaos', '--off'])).stdout).toContain('No faults')
  })

  it('reset restores the initial state', async () => {
    await sandbox.emit('ledger.matched')
    await sandbox.subscribe({ url, events: ['*'] })
    expect((await call(['reset'])).code).toBe(0)
    expect((await call(['env'])).stderr).toContain('no WEBHOOK_SECRET')
  })

  it('env prints what a program needs', async () => {
    const { secret } = await sandbox.subscribe({ url, events: ['*'] })
    const { stdout } = await call(['env'])
    expect(lines(stdout)).toEqual([
      `export SERVICE_URL='${sandbox.url}/v1'`,
      `export SERVICE_API_KEY='${sandbox.apiKey}'`,
      `export WEBHOOK_SECRET='${secret}'`,
    ])
  })

  it('every command exits with 3 if no sandbox answers', async () => {
    const commands = Object.keys(group.commands).filter((name) => name !== 'start')
    const needs: Record<string, string[]> = {
      emit: ['a.b'],
      replay: ['evt_1'],
      listen: ['--forward-to', url],
    }
    for (const name of commands) {
      const { code, stderr } = await call([name, ...(needs[name] ?? []), '--url', 'http://127.0.0.1:9'])
      expect({ name, code }).toEqual({ name, code: 3 })
      expect(stderr).toContain('no sandbox answers at http://127.0.0.1:9; start one: webhook-inbox sandbox')
    }
  })
})

describe('sandbox start', () => {
  it('rejects a wrong value in one line, with status 2', async () => {
    const { code, stderr } = await webhookInbox(['sandbox', 'start', '--port', 'none'])
    expect(code).toBe(2)
    expect(lines(stderr)).toHaveLength(1)
    expect(stderr).toContain('--port')
  })
})
