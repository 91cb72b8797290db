import { type Code, codeWithDetail } from '../codes.js'
import { type HandlerFailure, targetNotFound } from '../errors.js'
import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { Audit, StoredQuarantine } from '../store/inbox.js'
import { acceptAgain, failureReason, type Reason, readAgain } from './accept-again.js'
import { checkCode, checkId, requireAudit } from './check-arguments.js'
import { capability, inboxOf, quarantinedUnder, queueFor } from './inbox-of.js'

/** Which quarantined deliveries to look at. */
export interface VerifyAgainQuery {
  /** Only the delivery under this `key`. */
  readonly key?: string | undefined
  /** Only those that were quarantined with this code. */
  readonly code?: Code | undefined
  /** How many of these at most, oldest first: events of one resource then run in the order of their arrival. Default 1000. */
  readonly limit?: number | undefined
}

export interface VerifiedAgain {
  /** The ids of the events that were accepted. */
  readonly released: readonly string[]
  /** The deliveries that stay in quarantine, and why. */
  readonly kept: readonly (Reason & { readonly key: string })[]
  /** The keys of the deliveries that another operator released or discarded first. */
  readonly gone: readonly string[]
}

/** The method that releases quarantined deliveries. */
export interface VerifyOperations {
  /**
   * Checks quarantined deliveries with the current options of the receiver: envelope, environment, numbers, schema and id. A
   * delivery that is valid now becomes an accepted event, and leaves the quarantine in the same commit. The others stay, each
   * with a code. It is `handler_failed` if `resource` or the schema throws, and what they threw is logged. It is
   * `store_unavailable` if store or queue fail after some were released. Rejects with `target_not_found` for an unknown
   * key, and with `invalid_option` for an unknown code.
   *
   * Only deliveries with a valid signature are quarantined, and signatures are not kept. A delivery with an unknown secret was
   * rejected, so its sender retries it.
   */
  verifyAgain(query: VerifyAgainQuery, audit: Audit): Promise<VerifiedAgain>
}

type Kept = VerifiedAgain['kept'][number]

export function verifyOperations(settings: Settings): VerifyOperations {
  const { endpoint } = settings

  /** Resolves to the id of the event, or to why the delivery stays; `undefined` if another operator was first. */
  async function release(key: string, audit: Audit): Promise<string | Kept | undefined> {
    // Only one body at a time is in memory.
    const delivery = await quarantinedUnder(settings, key)
    if (!delivery) {
      return undefined
    }
    try {
      const read = await readAgain(settings, delivery.body)
      if ('code' in read) {
        return { key, ...read }
      }
      const outcome = await acceptAgain(settings, read, { delivery: key }, audit)
      if (outcome === 'duplicate') {
        return { key, code: 'event_id_conflict' }
      }
      return outcome === 'gone' ? undefined : read.event.id
    } catch (error) {
      const why = failureReason(error)
      settings.logger.error(
        `delivery ${key} stays in quarantine: ${codeWithDetail(why.code, why.detail)}`,
        (error as HandlerFailure).cause,
      )
      return { key, ...why }
    }
  }

  async function selected({ key, code, limit = 1000 }: VerifyAgainQuery): Promise<StoredQuarantine[]> {
    if (key === undefined) {
      return inboxOf(settings).quarantined({ endpoint, order: 'oldest', limit, code, bodies: false })
    }
    const delivery = await quarantinedUnder(settings, checkId('key', key))
    if (!delivery) {
      throw targetNotFound('no quarantined delivery is kept under this key')
    }
    return [delivery]
  }

  return {
    async verifyAgain(query, audit) {
      requireAudit('verifyAgain', audit)
      const given: VerifyAgainQuery = givenOptions('verifyAgain', query, ['key', 'code', 'limit'])
      queueFor('verifyAgain needs a queue that runs what it releases', settings)
      checkCode(given.code)
      capability(settings, 'bulk')
      const released: string[] = []
      const kept: Kept[] = []
      const gone: string[] = []
      const deliveries = (await selected(given)).filter(
        ({ code }) => given.code === undefined || code === given.code,
      )
      for (const [index, delivery] of deliveries.entries()) {
        let outcome: string | Kept | undefined
        try {
          outcome = await release(delivery.key, audit)
        } catch (error) {
          if (released.length === 0) {
            throw error
          }
          // The ids of what was released must not be lost.
          kept.push(
            ...deliveries.slice(index).map(({ key }) => ({ key, code: 'store_unavailable' as const })),
          )
          break
        }
        if (typeof outcome === 'string') {
          released.push(outcome)
        } else if (outcome) {
          kept.push(outcome)
        } else {
          gone.push(delivery.key)
        }
      }
      return { released, kept, gone }
    },
  }
}
