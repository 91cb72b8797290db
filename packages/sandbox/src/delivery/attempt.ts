import { setTimeout as sleep } from 'node:timers/promises'
import type { Options } from '../options/options.js'
import type { Resolve } from './address-guard.js'
import type { Dice, FaultName } from './chaos.js'
import { type Exchanged, exchange, type HeaderList } from './exchange.js'
import { signAnew } from './sign-anew.js'
import { firstHalf, type Transmission } from './transmit.js'

export interface AttemptInput {
  readonly deliverySeq: number
  readonly eventId: string
  readonly url: string
  readonly body: Uint8Array
  readonly secret: string
  /** Counted from 1. */
  readonly number: number
  /** The Service-Signature to send; `null` for none. Default: a new one. */
  readonly signature: string | null | undefined
  readonly dice: Dice
  readonly options: Options
  readonly resolve: Resolve | undefined
  readonly signal: AbortSignal
}

/** The request and the response of one attempt. */
export interface AttemptResult extends Exchanged {
  readonly headers: HeaderList
  /** The bytes of the body that were sent. Fewer than the event has, if a fault stopped the upload. */
  readonly body: Uint8Array
  readonly signature: string | undefined
  /** When it was signed, in unix milliseconds by the system clock: receivers judge `t` by theirs. */
  readonly sentAt: number
  /** The faults of chaos that happened to this attempt. */
  readonly faults: readonly FaultName[]
}

/** Makes one attempt: draws its faults, signs, sends. Rejects only if `signal` is aborted during the latency. */
export async function makeAttempt(input: AttemptInput): Promise<AttemptResult> {
  const { dice, deliverySeq, number, options, signal } = input
  const faults: FaultName[] = attemptFaults.filter((fault) => dice.happens(fault, deliverySeq, number))
  const has = (fault: FaultName) => faults.includes(fault)
  if (has('latency')) {
    await sleep(latencyOf(input), undefined, { signal })
  }

  const sentAt = Date.now()
  const signature = await sign(input, has)
  const headers = headersOf(input, signature)
  const isCut = has('truncate') || has('reset')
  const body = has('drop') ? input.body.subarray(0, 0) : isCut ? firstHalf(input.body) : input.body
  const sent = has('drop')
    ? dropped
    : await exchange({
        url: input.url,
        headers,
        body: input.body,
        timeoutSeconds: options.timeoutSeconds,
        rules: options,
        resolve: input.resolve,
        transmission: transmissionOf(dice, has),
        signal,
      })
  return { ...sent, headers, body, signature, sentAt, faults }
}

/** In the order in which they apply. The others, `duplicate` and `reorder`, are drawn when a delivery is planned. */
const attemptFaults = [
  'latency',
  'drop',
  'skew',
  'corruptSignature',
  'truncate',
  'reset',
  'trickle',
  'dropAnswer',
] as const satisfies readonly FaultName[]

const dropped: Exchanged = {
  answer: undefined,
  failure: { kind: 'chaos', code: 'drop', message: 'the attempt was not sent' },
  timings: { ended: 0 },
}

function latencyOf({ dice, deliverySeq, number }: AttemptInput): number {
  const { seconds = 0, randomSeconds = 0 } = dice.faults.latency ?? {}
  return (seconds + randomSeconds * dice.amount('latency', deliverySeq, number)) * 1000
}

async function sign(input: AttemptInput, has: (fault: FaultName) => boolean): Promise<string | undefined> {
  if (input.signature === null) {
    return undefined
  }
  const skewSeconds = has('skew') ? (input.dice.faults.skew?.seconds ?? 0) : 0
  const signature = input.signature ?? (await signAnew(input.options, { ...input, skewSeconds }))
  return has('corruptSignature') ? corrupted(signature) : signature
}

/** Both digits are valid in every encoding of a signature. */
const corrupted = (signature: string) =>
  signature.replace(/v1=(.)/, (_, digit: string) => `v1=${digit === '0' ? '1' : '0'}`)

function headersOf({ url, body, eventId }: AttemptInput, signature: string | undefined): HeaderList {
  const signed = signature === undefined ? [] : [['Service-Signature', signature] as const]
  return [
    ['Host', new URL(url).host],
    ['Content-Type', 'application/json'],
    ['Content-Length', String(body.length)],
    ['User-Agent', 'webhook-inbox-sandbox'],
    ['Service-Event-Id', eventId],
    ...signed,
    ['Connection', 'close'],
  ]
}

function transmissionOf(dice: Dice, has: (fault: FaultName) => boolean): Transmission {
  if (has('truncate')) {
    return { kind: 'truncate' }
  }
  if (has('reset')) {
    return { kind: 'reset' }
  }
  if (has('trickle')) {
    return { kind: 'trickle', seconds: dice.faults.trickle?.seconds ?? 0 }
  }
  return { kind: has('dropAnswer') ? 'discard_answer' : 'whole' }
}
