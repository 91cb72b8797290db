import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { VerificationError, verifySignature } from 'webhook-inbox'
import { virtualClock } from '../../src/clock.js'
import { attemptsOf } from '../../src/delivery/attempts.js'
import {
  type ChaosSettings,
  chaosSettings,
  type Faults,
  readChaos,
  writeChaos,
} from '../../src/delivery/chaos.js'
import { listDeliveries } from '../../src/delivery/deliveries.js'
import {
  type Answering,
  deliveryRig,
  listening,
  type Rig,
  type RigOptions,
  receiver,
  settled,
} from './rig.js'

const always = { probability: 1 }

/** One event under these faults, sent once. */
async function underFaults(all: Faults, options: RigOptions = {}, answering?: Answering) {
  const rig = deliveryRig({ retrySeconds: [], ...options })
  writeChaos(rig.database, chaosSettings.parse({ all }))
  const target = await receiver(answering)
  const { secret } = rig.subscribe({ url: target.url, events: ['*'] })
  const [event] = rig.record(settled())
  await rig.courier.idle()
  return { rig, secret, event, received: target.received, attempts: attemptsOfAll(rig) }
}

const attemptsOfAll = ({ database }: Rig) =>
  listDeliveries(database, { limit: 1000 })
    .toReversed()
    .flatMap((delivery) => attemptsOf(database, delivery))

interface Cut {
  announced: number
  bytes: number
  socketError: string | undefined
}

/** A receiver, and what it saw of the first connection once that has closed. */
async function cutReceiver() {
  const cut: Cut = { announced: 0, bytes: 0, socketError: undefined }
  const server = createServer((request) => {
    cut.announced = Number(request.headers['content-length'])
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => {
      cut.bytes += chunk.length
    })
  })
  const closed = new Promise<Cut>((resolve) => {
    server.on('connection', (socket) => {
      socket.on('error', ({ code }: NodeJS.ErrnoException) => {
        cut.socketError = code
      })
      socket.on('close', () => resolve(cut))
    })
  })
  return { url: await listening(server), closed }
}

describe('chaos', () => {
  it('does nothing unless it was asked for', async () => {
    const { attempts, received } = await underFaults({})
    expect(attempts[0]?.faults).toEqual([])
    expect(received).toHaveLength(1)
  })

  it('drop: nothing arrives, and the attempt has failed', async () => {
    const { attempts, received } = await underFaults({ drop: always })
    expect(received).toHaveLength(0)
    expect(attempts[0]).toMatchObject({ faults: ['drop'], failure: { kind: 'chaos', code: 'drop' } })
  })

  it('dropAnswer: the receiver has the event, the sender does not know and retries', async () => {
    const { attempts, received, rig } = await underFaults({ dropAnswer: always }, { retrySeconds: [0] })
    expect(received).toHaveLength(2)
    expect(attempts[0]).toMatchObject({
      faults: ['dropAnswer'],
      failure: { kind: 'chaos', code: 'dropAnswer' },
    })
    expect(attempts[0]?.response).toBeUndefined()
    expect(listDeliveries(rig.database, { limit: 1 })[0]?.state).toBe('exhausted')
  })

  it('duplicate: the event is delivered twice', async () => {
    const { received, rig } = await underFaults({ duplicate: always })
    expect(received).toHaveLength(2)
    expect(listDeliveries(rig.database, { limit: 9 }).map(({ cause }) => cause)).toEqual([
      'duplicate',
      'event',
    ])
  })

  it('reorder: events arrive within the window in another order', async () => {
    const clock = virtualClock()
    const rig = deliveryRig({ clock })
    writeChaos(rig.database, chaosSettings.parse({ all: { reorder: { probability: 1, windowSeconds: 30 } } }))
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    const events = rig.record(...Array.from({ length: 20 }, (_, i) => settled(`tr_${i}`)))
    await clock.advance(30)
    const order = received.map(({ headers }) => headers['service-event-id'])
    const sent = events.map(({ id }) => id)
    expect(order).not.toEqual(sent)
    expect(order.toSorted()).toEqual(sent.toSorted())
  })

  it('corruptSignature: one digit is wrong and the rest is right', async () => {
    const { received, secret, attempts } = await underFaults({ corruptSignature: always })
    const { body, headers } = received[0] as (typeof received)[0]
    const header = String(headers['service-signature'])
    expect(header).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
    await expect(verifySignature({ body, header, secret })).rejects.toThrow(
      expect.objectContaining({ name: VerificationError.name, code: 'signature_mismatch' }),
    )
    expect(attempts[0]?.faults).toEqual(['corruptSignature'])
  })

  it.each([-3600, 3600])('skew: t is %i s off and the signature is right', async (seconds) => {
    const { received, secret } = await underFaults({ skew: { probability: 1, seconds } })
    const { body, headers } = received[0] as (typeof received)[0]
    const header = headers['service-signature'] as string
    await expect(verifySignature({ body, header, secret })).rejects.toThrow(
      expect.objectContaining({ code: 'timestamp_out_of_tolerance' }),
    )
    const { timestamp } = await verifySignature({ body, header, secret, toleranceSeconds: 4000 })
    expect(Math.abs(timestamp - Date.now() / 1000 - seconds)).toBeLessThan(60)
  })

  it.each(['truncate', 'reset'] as const)('%s: half of the announced body is sent', async (fault) => {
    const target = await cutReceiver()
    const rig = deliveryRig({ retrySeconds: [] })
    writeChaos(rig.database, chaosSettings.parse({ all: { [fault]: always } }))
    rig.subscribe({ url: target.url, events: ['*'] })
    const [event] = rig.record(settled())
    await rig.courier.idle()
    const whole = event?.bodies.camelCase.length as number
    const half = Math.floor(whole / 2)
    const [attempt] = attemptsOfAll(rig)
    expect(attempt).toMatchObject({ faults: [fault], failure: { kind: 'chaos', code: fault } })
    expect(attempt?.request.body).toHaveLength(half)
    const seen = await target.closed
    const socketError = fault === 'reset' ? 'ECONNRESET' : 'HPE_INVALID_EOF_STATE'
    expect(seen).toEqual({ announced: whole, bytes: half, socketError })
  })

  it('trickle: the body arrives in pieces, whole and signed', async () => {
    const startedAt = performance.now()
    const { received, secret, attempts } = await underFaults({ trickle: { probability: 1, seconds: 0.4 } })
    expect(performance.now() - startedAt).toBeGreaterThan(300)
    const { body, headers } = received[0] as (typeof received)[0]
    await verifySignature({ body, header: headers['service-signature'], secret })
    expect(attempts[0]).toMatchObject({ faults: ['trickle'], response: { status: 200 } })
  })

  it('trickle: a timeout ends it', async () => {
    const { received, attempts } = await underFaults(
      { trickle: { probability: 1, seconds: 60 } },
      { timeoutSeconds: 0.2 },
    )
    expect(received).toHaveLength(0)
    expect(attempts[0]?.failure?.kind).toBe('timeout')
  })

  it('latency: the attempt starts later by real time, under a virtual clock too', async () => {
    const startedAt = performance.now()
    const latency = { probability: 1, seconds: 0.2, randomSeconds: 0 }
    const { received } = await underFaults({ latency }, { clock: virtualClock() })
    expect(performance.now() - startedAt).toBeGreaterThan(190)
    expect(received).toHaveLength(1)
  })

  it('happens to one subscription where it is named', async () => {
    const rig = deliveryRig({ retrySeconds: [] })
    const [one, other] = await Promise.all([receiver(), receiver()])
    const { id } = rig.subscribe({ url: one.url, events: ['*'] })
    rig.subscribe({ url: other.url, events: ['*'] })
    writeChaos(rig.database, chaosSettings.parse({ subscriptions: { [id]: { drop: always } } }))
    rig.record(settled())
    await rig.courier.idle()
    expect([one.received.length, other.received.length]).toEqual([0, 1])
  })

  it('draws the same faults for the same seed, and others for another', async () => {
    const half = { probability: 0.5 }
    const faultsWith = async (seed: number) => {
      const rig = deliveryRig({ retrySeconds: [0, 0] })
      writeChaos(
        rig.database,
        chaosSettings.parse({ seed, all: { drop: half, skew: { ...half, seconds: 9 } } }),
      )
      const { url } = await receiver((response) => response.writeHead(500).end())
      rig.subscribe({ url, events: ['*'] })
      rig.record(...Array.from({ length: 20 }, (_, i) => settled(`tr_${i}`)))
      await rig.courier.idle()
      return attemptsOfAll(rig).map(({ faults }) => faults.join('+'))
    }
    const first = await faultsWith(7)
    expect(first).toHaveLength(60)
    expect(new Set(first)).toEqual(new Set(['', 'drop', 'skew', 'drop+skew']))
    expect(await faultsWith(7)).toEqual(first)
    expect(await faultsWith(8)).not.toEqual(first)
  })

  it('happens about as often as its probability says', async () => {
    const rig = deliveryRig({ retrySeconds: [] })
    writeChaos(rig.database, chaosSettings.parse({ all: { drop: { probability: 0.25 } } }))
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    rig.record(...Array.from({ length: 400 }, (_, i) => settled(`tr_${i}`)))
    await rig.courier.idle()
    expect(received.length).toBeGreaterThan(260)
    expect(received.length).toBeLessThan(340)
  })
})

describe('the settings of chaos', () => {
  it('are kept, with their defaults', () => {
    const rig = deliveryRig()
    expect(readChaos(rig.database)).toEqual({ seed: 1, all: {}, subscriptions: {} } satisfies ChaosSettings)
    const settings = chaosSettings.parse({ seed: 4, all: { latency: { probability: 0.5, seconds: 1 } } })
    writeChaos(rig.database, settings)
    writeChaos(rig.database, settings)
    expect(readChaos(rig.database)).toEqual(settings)
  })

  it.each([
    { all: { drop: { probability: 1.1 } } },
    { all: { drop: { probability: -0.1 } } },
    { all: { explode: always } },
    { all: { latency: { probability: 1, seconds: 61 } } },
    { all: { skew: { probability: 1, seconds: 0.5 } } },
    { every: {} },
  ])('are rejected where they make no sense: %j', (settings) => {
    expect(chaosSettings.safeParse(settings).success).toBe(false)
  })
})
