import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Database } from '../database/open.js'

const probability = z.number().min(0).max(1)
const seconds = z.number().min(0).max(60)
const sometimes = z.strictObject({ probability })

/** The faults for one subscription, each with a probability from 0 to 1. */
const faultSettings = z.strictObject({
  /** Waits before sending: `seconds`, and up to `randomSeconds` more. Real time, also under a virtual clock. */
  latency: z.strictObject({ probability, seconds, randomSeconds: seconds.default(0) }).optional(),
  /** Never sends the attempt, which counts as failed. */
  drop: sometimes.optional(),
  /** Sends the attempt and discards the response: the receiver has the event, the sender does not know. */
  dropAnswer: sometimes.optional(),
  /** Makes a second delivery of the event. */
  duplicate: sometimes.optional(),
  /** Delays the first attempt by up to `windowSeconds` of the sandbox's clock, so that later events overtake it. */
  reorder: z.strictObject({ probability, windowSeconds: seconds }).optional(),
  /** Changes one digit of the signature. */
  corruptSignature: sometimes.optional(),
  /** Signs with a `t` that is off by `seconds`, which may be negative. */
  skew: z.strictObject({ probability, seconds: z.int().min(-31_536_000).max(31_536_000) }).optional(),
  /** Announces the whole body, sends half of it and closes the connection. */
  truncate: sometimes.optional(),
  /** Sends the body in small pieces over `seconds`. */
  trickle: z.strictObject({ probability, seconds }).optional(),
  /** Resets the connection after half of the body. */
  reset: sometimes.optional(),
})

export const chaosSettings = z.strictObject({
  /** The same seed and the same order of events make the same faults. */
  seed: z.int().default(1),
  /** For every subscription. */
  all: faultSettings.default({}),
  /** By subscription id. A fault that is named here replaces the one of `all`. */
  subscriptions: z.record(z.string(), faultSettings).default({}),
})

export type Faults = z.infer<typeof faultSettings>
export type FaultName = keyof Faults
export type ChaosSettings = z.infer<typeof chaosSettings>

/** By default there are no faults. */
export function readChaos(database: Database): ChaosSettings {
  const row = database.prepare('SELECT settings FROM chaos').get() as { settings: string } | undefined
  return chaosSettings.parse(row === undefined ? {} : JSON.parse(row.settings))
}

/** Replaces the settings. They survive a restart with a state file. */
export function writeChaos(database: Database, settings: ChaosSettings): void {
  database
    .prepare(
      'INSERT INTO chaos (only, settings) VALUES (1, ?) ON CONFLICT DO UPDATE SET settings = excluded.settings',
    )
    .run(JSON.stringify(settings))
}

/** A number from 0 to below 1 that depends only on its parts. */
export const draw = (...parts: readonly (string | number)[]): number =>
  createHash('sha256').update(parts.join(':')).digest().readUInt32BE() / 2 ** 32

/** Draws the faults of one subscription. */
export interface Dice {
  readonly faults: Faults
  /** True if this fault happens to the attempt. */
  happens(fault: FaultName, deliverySeq: number, attempt: number): boolean
  /** A number from 0 to 1 for the size of a fault. */
  amount(fault: FaultName, deliverySeq: number, attempt: number): number
}

/**
 * Every random number depends only on the seed, the delivery, the attempt and the fault. So it does not depend on how fast
 * receivers respond, and a run can be repeated.
 */
export function diceFor({ seed, all, subscriptions }: ChaosSettings, subscriptionId: string): Dice {
  const own = Object.hasOwn(subscriptions, subscriptionId) ? subscriptions[subscriptionId] : {}
  const faults: Faults = { ...all, ...own }
  return {
    faults,
    happens(fault, delivery, attempt) {
      const { probability: chance = 0 } = faults[fault] ?? {}
      return chance > 0 && draw(seed, fault, delivery, attempt) < chance
    },
    amount: (fault, delivery, attempt) => draw(seed, fault, delivery, attempt, 'amount'),
  }
}
