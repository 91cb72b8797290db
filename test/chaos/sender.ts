import { setTimeout as sleep } from 'node:timers/promises'
import { deliveryOf, signAgain } from '../../src/testing/delivery.js'
import { deliver, type Manner } from './deliver.js'
import { type Entry, Ledger, type Sent } from './ledger.js'
import type { Random } from './random.js'

export interface EventOptions {
  readonly type?: string
  /** `flaky` fails once, `doomed` always, `deadly` kills the first three processes that handle it. */
  readonly behavior?: 'fine' | 'flaky' | 'doomed' | 'deadly'
  /** How long its handler takes. */
  readonly workMs?: number
}

export interface SendOptions {
  /** How often it does what the network does to senders: loses answers, repeats itself, dribbles, hangs up. 0 to 1. */
  readonly mischief?: number
  /** When it gives up. Default 60 s. */
  readonly seconds?: number
  /** Where it delivers to; by default any receiver that is up. */
  readonly ports?: () => readonly number[]
}

interface AttemptOptions {
  readonly manner?: Manner
  /** Default true: the service signs each delivery with the time at which it is sent. */
  readonly isSignedAnew?: boolean
  readonly ports?: (() => readonly number[]) | undefined
}

const manners: readonly Manner[] = ['lost answer', 'lost answer', 'byte by byte', 'reset', 'half open']

/** A model of the service: it delivers each event until it hears a 2xx, and keeps the books. */
export class Sender {
  readonly ledger = new Ledger()
  /** When it gives up on an answer: some time after the receiver should have given one. */
  patienceMs = 2500
  readonly #random: Random
  readonly #secret: string
  readonly #ports: () => readonly number[]
  #count = 0

  constructor(random: Random, secret: string, ports: () => readonly number[]) {
    this.#random = random
    this.#secret = secret
    this.#ports = ports
  }

  /** Signs a new event, of either envelope. */
  async event(options: EventOptions = {}): Promise<Sent> {
    const { type = 'payment.arrived', behavior = 'fine', workMs = 0 } = options
    const id = this.#newId()
    const at = new Date().toISOString()
    const rest = this.#random.chance(0.5) ? { createdAt: at } : { created_at: at, product: 'mobile_money' }
    const data = { behavior, workMs, note: `${marker}${id}` }
    return this.#sign(JSON.stringify({ id, type, ...rest, data }), {
      id,
      type,
      fate: behavior === 'doomed' ? 'dead' : 'effect',
    })
  }

  /** Signs any bytes, under the id that they may have inside. */
  async poison(body: Buffer | string, fate: Sent['fate'], id = this.#newId()): Promise<Sent> {
    return this.#sign(body, { id, type: 'poison', fate }, {})
  }

  /** What somebody who does not have the secret, or an old delivery, would send. */
  async forged(): Promise<Sent> {
    const { body, headers, id, type } = await this.event()
    const how = this.#random.pick(['unsigned', 'altered', 'other secret', 'stale'] as const)
    const forged = { id, type, fate: 'nothing' } as const
    const { 'service-signature': _, ...unsigned } = headers
    if (how === 'unsigned') {
      return { ...forged, body, headers: unsigned }
    }
    if (how === 'altered') {
      return { ...forged, headers, body: Buffer.from(`${body}`.replace('"fine"', '"nice"')) }
    }
    const options =
      how === 'stale' ? { secret: this.#secret, ageSeconds: 86_400 } : { secret: 'whsec_of_another' }
    return { ...forged, ...(await deliveryOf(body, { id, ...options })) }
  }

  /** Delivers until it is acknowledged. Resolves to whether it was, before the time was up. */
  async send(sent: Sent, { mischief = 0, seconds = 60, ports }: SendOptions = {}): Promise<boolean> {
    const random = this.#random
    const entry = this.ledger.open(sent)
    const deadline = performance.now() + seconds * 1000
    for (let pause = 0.05; performance.now() < deadline; pause = Math.min(pause * 1.6, 0.4)) {
      const manner = random.chance(mischief) ? random.pick(manners) : 'plain'
      const copies = random.chance(mischief) ? 2 + random.below(2) : 1
      await Promise.all(Array.from({ length: copies }, () => this.attempt(entry, { manner, ports })))
      if (entry.acknowledgedAt !== undefined) {
        // Senders repeat what they were told was received, too.
        if (random.chance(mischief)) {
          await this.attempt(entry, { ports })
        }
        return true
      }
      await sleep(pause * random.between(0.5, 1) * 1000)
    }
    return false
  }

  /** Sends many, so many at a time, in an order of its own. Resolves to how many were acknowledged. */
  async sendAll(events: readonly Sent[], options: SendOptions & { atOnce?: number } = {}): Promise<number> {
    const waiting = this.#random.shuffle(events)
    let count = 0
    const lane = async () => {
      for (let each = waiting.pop(); each; each = waiting.pop()) {
        if (await this.send(each, options)) {
          count++
        }
      }
    }
    await Promise.all(Array.from({ length: options.atOnce ?? 8 }, lane))
    return count
  }

  /** Sends what must not be acknowledged, once. */
  async offer(sent: Sent): Promise<void> {
    await this.attempt(this.ledger.open(sent), { isSignedAnew: false })
  }

  /** One delivery, signed anew, to one of the receivers that are up. Resolves to the status, where one was heard. */
  async attempt(
    entry: Entry,
    { manner = 'plain', isSignedAnew = true, ports = this.#ports }: AttemptOptions = {},
  ): Promise<number | undefined> {
    const open = ports()
    if (open.length === 0) {
      return undefined
    }
    entry.attempts++
    const delivery = isSignedAnew ? await signAgain(entry.sent, { secret: this.#secret }) : entry.sent
    const startedAt = performance.now()
    const answer = await deliver(this.#random.pick(open), delivery, manner, this.patienceMs)
    if (answer) {
      this.ledger.answered(entry, startedAt, answer.status, answer.body)
    }
    return answer?.status
  }

  #newId = () => `evt_${this.#random.seed}_${this.#count++}`

  async #sign(
    body: Buffer | string,
    sent: Pick<Sent, 'id' | 'type' | 'fate'>,
    { id }: { id?: string } = sent,
  ): Promise<Sent> {
    return { ...sent, ...(await deliveryOf(body, { secret: this.#secret, ...(id !== undefined && { id }) })) }
  }
}

/** Stands in every body, and must never stand in a log. */
export const marker = 'NOT-FOR-LOGS-'
