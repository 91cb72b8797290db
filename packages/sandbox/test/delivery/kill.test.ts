import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/database/open.js'
import { attemptsOf } from '../../src/delivery/attempts.js'
import { type Delivery, listDeliveries } from '../../src/delivery/deliveries.js'
import { listEvents } from '../../src/delivery/events.js'
import { receiver } from './rig.js'

/** Fifty of them, for events and money, are in `program/kill.test.ts`. */
const kills = process.env.LONG ? 10 : 4
const everything = { limit: 1_000_000 }
const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
/** Two retries soon, for the receiver that fails at first; the third stays planned for the receiver that always fails. */
const retry = '20ms,20ms,10h'

interface Started {
  readonly child: ChildProcess
  readonly url: string
}

async function start(state: string, targets: readonly string[]): Promise<Started> {
  const forwarding = targets.flatMap((url) => ['--forward-to', url])
  const flags = ['--port', '0', '--json', '--state', state, '--retry', retry, '--settle-after', '5ms']
  const child = spawn(process.execPath, [program, ...flags, ...forwarding], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code} before it had started`)))
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const { type, url } = JSON.parse(line) as { type: string; url: string }
      if (type === 'started') {
        resolve({ child, url })
      }
    })
  })
}

/** Makes transfers until the sandbox is gone. */
async function transferUntilKilled(url: string, onAcknowledged: (id: string) => void): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/v1/transfers`, {
      method: 'POST',
      signal: AbortSignal.timeout(20_000),
      headers: { authorization: 'Bearer sk_sandbox_local', 'content-type': 'application/json' },
      body: JSON.stringify({
        source: 'wallet_kes_ada',
        destination: 'wallet_kes_ben',
        amount: 1,
        currency: 'KES',
        rail: 'sim_settle',
      }),
    })
      .then(async (response) => ({
        status: response.status,
        body: (await response.json()) as { id: string },
      }))
      // The connection breaks at the kill.
      .catch(() => undefined)
    if (!answer) {
      return
    }
    expect(answer.status).toBe(201)
    onAcknowledged(answer.body.id)
  }
}

function read<Result>(state: string, look: (database: ReturnType<typeof openDatabase>) => Result): Result {
  const database = openDatabase(state)
  try {
    return look(database)
  } finally {
    database.close()
  }
}

const deliveriesIn = (state: string) => read(state, (database) => listDeliveries(database, everything))

it(`keeps every attempt and every planned next attempt over ${kills} kills at random moments`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kill-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const state = join(folder, 'state.db')
  const bodies = new Map<string, Set<string>>()
  const reliable = await receiver((response, { headers, body }) => {
    const id = String(headers['service-event-id'])
    const isFirst = !bodies.has(id)
    const seen = bodies.get(id) ?? new Set()
    bodies.set(id, seen.add(body.toString('hex')))
    // Every third event fails at first, so that kills meet planned retries too.
    response.writeHead(isFirst && bodies.size % 3 === 0 ? 500 : 200).end()
  })
  const failing = await receiver((response) => response.writeHead(500).end())
  const targets = [reliable.url, failing.url]
  const acknowledged: string[] = []
  let known = new Map<string, Delivery>()

  for (let kill = 0; kill < kills; kill++) {
    const { child, url } = await start(state, targets)
    let noteWork: () => void = () => {}
    const atWork = new Promise<void>((resolve) => {
      noteWork = resolve
    })
    const acknowledge = (id: string) => {
      acknowledged.push(id)
      noteWork()
    }
    const working = Promise.all([1, 2, 3].map(() => transferUntilKilled(url, acknowledge)))
    // Some kills meet the first request, the others meet work at full speed.
    if (kill % 5 > 0) {
      await Promise.race([atWork, working])
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300))
    child.kill('SIGKILL')
    await Promise.all([once(child, 'exit'), working])
    const found = deliveriesIn(state)
    // Attempts never vanish, and a next attempt stays planned for when it was.
    for (const { id, attempts, nextTryAt } of found) {
      const before = known.get(id)
      if (!before) {
        continue
      }
      expect(attempts).toBeGreaterThanOrEqual(before.attempts)
      if (attempts === before.attempts) {
        expect(nextTryAt).toBe(before.nextTryAt)
      }
    }
    const ids = new Set(found.map(({ id }) => id))
    expect([...known.keys()].filter((id) => !ids.has(id))).toEqual([])
    known = new Map(found.map((delivery) => [delivery.id, delivery]))
  }

  const { child, url } = await start(state, targets)
  const isBusy = async () => {
    const [page, transfers] = await Promise.all(
      ['/_sandbox/deliveries?state=pending&limit=100', '/v1/transfers?limit=100'].map(async (path) => {
        const response = await fetch(url + path, { headers: { authorization: 'Bearer sk_sandbox_local' } })
        return ((await response.json()) as { data: { attempts?: number; status?: string }[] }).data
      }),
    )
    return (
      page?.some(({ attempts = 0 }) => attempts < 3) || transfers?.some(({ status }) => status !== 'settled')
    )
  }
  while (await isBusy()) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])

  read(state, (database) => {
    const events = listEvents(database, everything)
    expect(acknowledged.length).toBeGreaterThan(kills / 2)
    expect([...bodies.keys()].toSorted()).toEqual(events.map(({ id }) => id).toSorted())
    for (const event of events) {
      expect([...(bodies.get(event.id) ?? [])]).toEqual([Buffer.from(event.bodies.camelCase).toString('hex')])
    }
    const typesOf = new Map<string, string[]>()
    for (const { type, data } of events) {
      const id = String(data.transferId)
      typesOf.set(id, [...(typesOf.get(id) ?? []), type])
    }
    for (const types of typesOf.values()) {
      expect(types).toEqual(['ledger.matched', 'transfer.settled'])
    }
    expect(acknowledged.filter((id) => !typesOf.has(id))).toEqual([])
    for (const delivery of listDeliveries(database, everything)) {
      const numbers = attemptsOf(database, delivery).map(({ number }) => number)
      expect(numbers).toEqual(Array.from({ length: delivery.attempts }, (_, i) => i + 1))
      const isFailing = delivery.url === failing.url
      expect([delivery.state, isFailing ? delivery.attempts : 0]).toEqual(
        isFailing ? ['pending', 3] : ['delivered', 0],
      )
    }
  })
}, 180_000)
