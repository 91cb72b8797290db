import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import type { ReceiveResult } from '../../src/result.js'
import { signPayload } from '../../src/signature/sign.js'
import { type RedisStoreOptions, redisStore } from '../../src/stores/redis.js'

export const secret = 'whsec_of_the_nemesis'

/** The longest time for an answer while Redis fails, in seconds. It is far more than an answer should take. */
const answeredWithin = 15

/** A signed delivery as its headers and bytes. */
export async function delivery(id: string) {
  const body = JSON.stringify({ id, type: 'nemesis.struck', createdAt: '2026-01-02T03:04:05Z', data: { id } })
  return {
    headers: {
      'service-signature': await signPayload({ body, secret }),
      'service-event-id': id,
      'content-type': 'application/json',
    },
    body,
  }
}

/**
 * A receiver on Redis and a sender. The sender counts how often each event ran, and checks that no event runs after its
 * acknowledgement.
 */
export function openLedger(
  options: RedisStoreOptions,
  {
    handle = async () => {},
    timeoutSeconds = 1,
    leaseSeconds = 60,
  }: { handle?: () => Promise<void>; timeoutSeconds?: number; leaseSeconds?: number } = {},
) {
  const runs = new Map<string, number>()
  const runsWhenAcknowledged = new Map<string, number>()
  const attempts: number[] = []
  const receiver: Receiver = createReceiver({
    secret,
    store: redisStore(options),
    handlerTimeoutSeconds: timeoutSeconds,
    leaseSeconds,
    logger: false,
    async fallback({ id }, { attempt }) {
      runs.set(id, (runs.get(id) ?? 0) + 1)
      attempts.push(attempt)
      await handle()
    },
  })

  async function deliver(id: string): Promise<ReceiveResult> {
    const { headers, body } = await delivery(id)
    const startedAt = performance.now()
    const result = await receiver.receive({ headers, body: new TextEncoder().encode(body) })
    expect((performance.now() - startedAt) / 1000).toBeLessThan(answeredWithin)
    if (result.status === 200) {
      if (!runsWhenAcknowledged.has(id)) {
        runsWhenAcknowledged.set(id, runs.get(id) ?? 0)
      }
    } else {
      expect(result.status).toBe(503)
      expect(['store_unavailable', 'in_progress', 'handler_timeout']).toContain(result.code)
      expect(JSON.parse(result.body)).toEqual({ outcome: result.outcome, code: result.code, eventId: id })
    }
    return result
  }

  /** Redelivers, as a sender does, until every event is acknowledged. */
  async function deliverUntilAcknowledged(ids: readonly string[], seconds = 40): Promise<void> {
    const deadline = performance.now() + seconds * 1000
    let open = ids
    while (open.length > 0) {
      if (performance.now() > deadline) {
        throw new Error(`not acknowledged: ${open.join(', ')}`)
      }
      const results = await Promise.all(open.map(deliver))
      open = open.filter((_, i) => results[i]?.status !== 200)
      // A client that rejects immediately needs this pause to reconnect.
      await sleep(50)
    }
  }

  /** Checks that every acknowledged event is a duplicate now and did not run after its acknowledgement. */
  async function audit(): Promise<void> {
    for (const [id, count] of runsWhenAcknowledged) {
      expect(await deliver(id)).toMatchObject({ status: 200, outcome: 'duplicate' })
      expect([id, runs.get(id)]).toEqual([id, count])
    }
  }

  return { receiver, runs, attempts, deliver, deliverUntilAcknowledged, audit }
}

let count = 0

/** Returns ids that no test has used. */
export const newIds = (length: number): string[] =>
  Array.from({ length }, () => `evt_nemesis_${process.pid}_${count++}`)
