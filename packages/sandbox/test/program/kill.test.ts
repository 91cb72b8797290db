import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/database/open.js'
import { shapeB, startReceiver, stateFile } from '../rig.js'
import { startProgram, urlOf } from './program.js'

/** Number of kills. Five keep `npm test` short. */
const rounds = process.env.LONG ? 50 : 5
const perRound = 6

/** Sends a transfer under a key. `undefined` where the connection ended before the answer. */
async function transfer(url: string, key: string) {
  try {
    const response = await fetch(`${url}/v1/transfers`, {
      method: 'POST',
      headers: {
        Authorization: 'Bearer sk_sandbox_local',
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body: JSON.stringify(shapeB('sim_settle', { amount: 1 })),
    })
    const { id } = (await response.json()) as { id: string }
    return { status: response.status, id, isReplayed: response.headers.has('idempotency-replayed') }
  } catch {
    return undefined
  }
}

describe('kill -9 with --state', () => {
  test(`at ${rounds} random moments: no event is lost, none is invented, no transfer happens twice`, async () => {
    const state = stateFile()
    // Every third delivery fails at first, so that retries are planned when the process dies.
    const seen = new Set<string>()
    const receiver = await startReceiver(({ event, body }) => {
      const isFirst = !seen.has(event.id)
      seen.add(event.id)
      return isFirst && (body.at(-5) ?? 0) % 3 === 0 ? 500 : 200
    })
    const flags = [
      '--port',
      '0',
      '--json',
      '--state',
      state,
      '--settle-after',
      '20ms',
      '--retry',
      '50ms,50ms,50ms',
    ]
    const answered = new Map<string, string>()
    const unanswered = new Set<string>()
    let madeBefore = 0

    const send = async (url: string, key: string) => {
      const answer = await transfer(url, key)
      if (answer?.status !== 201) {
        return
      }
      if (answer.isReplayed && !answered.has(key)) {
        madeBefore += 1
      }
      expect(answered.get(key) ?? answer.id).toBe(answer.id)
      answered.set(key, answer.id)
      unanswered.delete(key)
    }

    for (let round = 0; round < rounds; round++) {
      const program = startProgram([...flags, '--forward-to', receiver.url])
      const url = await urlOf(program)
      for (let one = 0; one < perRound; one++) {
        unanswered.add(`key-${round}-${one}`)
      }
      const sending = Promise.all([...unanswered].map((key) => send(url, key)))
      await sleep(Math.random() * 150)
      program.child.kill('SIGKILL')
      await Promise.all([program.exited, sending])
    }

    const last = startProgram([...flags, '--forward-to', receiver.url])
    const url = await urlOf(last)
    for (const key of [...unanswered, ...answered.keys()]) {
      await send(url, key)
    }
    expect(unanswered.size).toBe(0)
    await allEnded(url)
    last.child.kill('SIGTERM')
    await last.exited

    const database = openDatabase(state)
    onTestFinished(() => database.close())
    const rows = <Row>(sql: string) => database.prepare(sql).all() as Row[]
    const transfers = rows<{ id: string; status: string }>('SELECT id, status FROM transfers')
    expect(transfers).toHaveLength(rounds * perRound)
    expect(new Set(answered.values())).toEqual(new Set(transfers.map(({ id }) => id)))
    expect(transfers.filter(({ status }) => status !== 'settled')).toEqual([])
    expect(rows('SELECT SUM(minor) AS sum FROM journal')).toMatchObject([{ sum: 0 }])

    const events = rows<{ id: string; camel_body: ArrayBuffer }>('SELECT id, camel_body FROM events')
    const bodies = new Map(events.map(({ id, camel_body }) => [id, Buffer.from(camel_body).toString()]))
    expect(events).toHaveLength(2 * rounds * perRound)
    const delivered = new Set<string>()
    for (const { event, body } of receiver.received) {
      expect(body.toString()).toBe(bodies.get(event.id))
      delivered.add(event.id)
    }
    expect(delivered.size).toBe(events.length)
    // What was attempted before a death is still known after it.
    const counts = rows(
      'SELECT id FROM deliveries WHERE attempts <> (SELECT COUNT(*) FROM attempts WHERE delivery_id = id)',
    )
    expect(counts).toEqual([])
    console.log(
      `${rounds} kills, ${receiver.received.length} deliveries of ${events.length} events, ${madeBefore} commits without a response`,
    )
  }, 600_000)

  test('between the commit and the response: the same key gives the result of that commit', async () => {
    const state = stateFile()
    const dying = fileURLToPath(new URL('./die-before-answer.mjs', import.meta.url))
    const first = startProgram(['--port', '0', '--json', '--state', state], ['--import', dying])
    expect(await transfer(await urlOf(first), 'k')).toBeUndefined()
    expect(await first.exited).toBe('SIGKILL')

    const second = startProgram(['--port', '0', '--json', '--state', state])
    const url = await urlOf(second)
    const again = await transfer(url, 'k')
    expect(again).toMatchObject({ status: 201, isReplayed: true })
    const list = await fetch(`${url}/v1/transfers`, { headers: { Authorization: 'Bearer sk_sandbox_local' } })
    const { data } = (await list.json()) as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toEqual([again?.id])
  })
})

/** Resolves once every transfer is settled and every delivery has ended. */
async function allEnded(url: string): Promise<void> {
  const read = async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers: { Authorization: 'Bearer sk_sandbox_local' } })
    return ((await response.json()) as { data: { status?: string }[] }).data
  }
  for (;;) {
    const [newest] = await Promise.all([read('/v1/transfers?limit=100')])
    const pending = await read('/_sandbox/deliveries?state=pending&limit=1')
    if (newest.every(({ status }) => status === 'settled') && pending.length === 0) {
      return
    }
    await sleep(50)
  }
}
