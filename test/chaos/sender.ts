import { setTimeout as sleep } from 'node:timers/promises'
import { deliveryOf, signAgain } from '../../src/testing/delivery.js'
import { deliver, type Manner } from './deliver.js'
import { type Entry, Ledger, type Sent } from './ledger.js'
import type { Random } from './random.js'

export interface EventOptions {
  readonly type?: string
  /** `flaky` fails once, `doomed` always, `deadly` kills the first three processes that handle it. */
  readonly behavior?: 'fine' | 'flaky' | 'doomed' | 'deadly'
  /** Duration of its handler. */
  readonly workMs?: number
}

export interface SendOptions {
  /** Probability of a network fault: a lost response, a repeat, a slow body, a closed connection. 0 to 1. */
  readonly mischief?: number
  /** Time until it gives up. Default 60 s. */
  readonly seconds?: number
  /** The ports to deliver to. Default: any receiver that is up. */
  readonly ports?: () => readonly number[]
}

interface AttemptOptions {
  readonly manner?: Manner
  /** Whether to sign each delivery with its own time, as the service does. Default true. */
  readonly isSignedAnew?: boolean
  readonly ports?: (() => readonly number[]) | undefined
}

const manners: readonly Manner[] = ['lost answer', 'lost answer', 'byte by byte', 'reset', 'half open']

/** A model of the service. It delivers each event until it gets a 2xx, and records all responses. */
export class Sender {
  readonly ledger = new Ledger()
  /** Time limit for a response: longer than any limit of the receiver. */
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

  /** Signs a new event in either envelope. */
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

  /** Signs any bytes. The id header is the id in the bytes, if they have one. */
  async poison(body: Buffer | string, fate: Sent['fate'], id = this.#newId()): Promise<Sent> {
    return this.#sign(body, { id, type: 'poison', fate }, {})
  }

  /** Makes a forged delivery, as a sender without the secret or with an old delivery does. */
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

  /** Delivers until the event is acknowledged. Resolves to false if the time is up first. */
  async send(sent: Sent, { mischief = 0, seconds = 60, ports }: SendOptions = {}): Promise<boolean> {
    const random = this.#random
    const entry = this.ledger.open(sent)
    const deadline = performance.now() + seconds * 1000
    for (let pause = 0.05; performance.now() < deadline; pause = Math.min(pause * 1.6, 0.4)) {
      const manner = random.chance(mischief) ? random.pick(manners) : 'plain'
      const copies = random.chance(mischief) ? 2 + random.below(2) : 1
      await Promise.all(Array.from({ length: copies }, () => this.attempt(entry, { manner, ports })))
      if (entry.acknowledgedAt !== undefined) {
        // Senders also repeat acknowledged events.
        if (random.chance(mischief)) {
          await this.attempt(entry, { ports })
        }
        return true
      }
      await sleep(pause * random.between(0.5, 1) * 1000)
    }
    return false
  }

  /** Sends many events concurrently in a random order. Resolves to the number of acknowledged events. */
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

  /** Sends a delivery once that must not be acknowledged. */
  async offer(sent: Sent): Promise<void> {
    await this.attempt(this.ledger.open(sent), { isSignedAnew: false })
  }

  /** Signs and sends one delivery to a receiver that is up. Resolves to the status, if a response arrives. */
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

/** A text in every body that must not appear in a log. */
export const marker = 'NOT-FOR-LOGS-'
