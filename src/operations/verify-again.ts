import type { Code } from '../codes.js'
import { invalidOption, PayloadError } from '../errors.js'
import { tryReadEvent } from '../event/parse.js'
import { checkData } from '../event/standard-schema.js'
import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import { checkEvent } from '../steps/check-event.js'
import { identify } from '../steps/identify.js'
import { resourceOf } from '../steps/resource-of.js'
import type { Audit, StoredQuarantine } from '../store/inbox.js'
import { checkAudit, checkId } from './check-arguments.js'
import { inboxOf, quarantinedUnder } from './inbox-of.js'
import { bulkOf } from './plan.js'

/** Which quarantined deliveries to look at. */
export interface VerifyAgainQuery {
  /** Only the delivery under this `key`. */
  readonly key?: string | undefined
  /** Only those that were quarantined with this code. */
  readonly code?: Code | undefined
  /** How many at most, newest first. Default 1000. */
  readonly limit?: number | undefined
}

export interface VerifiedAgain {
  /** The ids of the events that were accepted. */
  readonly released: readonly string[]
  /** The deliveries that stay in quarantine, and why. */
  readonly kept: readonly { readonly key: string; readonly code: Code; readonly detail?: string }[]
}

/** What lets go of quarantined deliveries. */
export interface VerifyOperations {
  /**
   * Checks quarantined deliveries again, by the options that the receiver has now: envelope, environment, numbers, schema and
   * id. One that fits is accepted as an event, and leaves the quarantine in the same commit. The others stay.
   *
   * Only authentic deliveries are ever quarantined, and signatures are not kept. A delivery that was signed with a secret
   * that the receiver did not know was refused, so its sender tries it again.
   */
  verifyAgain(query: VerifyAgainQuery, audit: Audit): Promise<VerifiedAgain>
}

type Kept = VerifiedAgain['kept'][number]

export function verifyOperations(settings: Settings): VerifyOperations {
  const { endpoint, queue } = settings

  /** Resolves to the id of the event, or to why the delivery stays; `undefined` where another operator was first. */
  async function release({ key, body }: StoredQuarantine, audit: Audit): Promise<string | Kept | undefined> {
    const read = tryReadEvent(body, settings.inexactNumbers)
    if (read instanceof PayloadError) {
      return stays(key, read)
    }
    const { event } = read
    const rejection = checkEvent({ ...settings, requireEventIdHeader: false }, undefined, event)
    if (rejection) {
      return stays(key, rejection)
    }
    try {
      await checkData(event.type, event.data, settings.schemas, [...read.warnings])
    } catch (error) {
      if (error instanceof PayloadError) {
        return stays(key, error)
      }
      throw error
    }
    const resource = resourceOf(settings, event)
    const ref = { ...(await identify(settings, read)), resource }
    const job = { key: ref.key, type: ref.type, endpoint: ref.endpoint, generation: 0, resource }
    const enqueue = async (tx: unknown) => queue?.enqueue?.(job, tx)
    const outcome = await bulkOf(settings).acceptFrom(ref, { delivery: key }, audit, enqueue)
    if (outcome === 'duplicate') {
      return { key, code: 'event_id_conflict' }
    }
    if (outcome === 'gone') {
      return undefined
    }
    queue?.committed?.(job)
    return event.id
  }

  async function named(key: string | undefined, limit: number): Promise<StoredQuarantine[]> {
    if (key === undefined) {
      return inboxOf(settings).quarantined({ endpoint, limit })
    }
    const delivery = await quarantinedUnder(settings, key)
    return delivery ? [delivery] : []
  }

  return {
    async verifyAgain(query, audit) {
      checkAudit('verifyAgain', audit)
      const { key, code, limit = 1000 } = givenOptions('verifyAgain', query, ['key', 'code', 'limit'])
      if (!queue) {
        throw invalidOption('verifyAgain needs a queue that runs what it releases')
      }
      if (key !== undefined) {
        checkId('key', key)
      }
      bulkOf(settings)
      const { reason, actor } = audit
      const released: string[] = []
      const kept: Kept[] = []
      for (const delivery of await named(key as string | undefined, limit as number)) {
        if (code !== undefined && delivery.code !== code) {
          continue
        }
        const outcome = await release(delivery, { reason, actor })
        if (typeof outcome === 'string') {
          released.push(outcome)
        } else if (outcome) {
          kept.push(outcome)
        }
      }
      return { released, kept }
    },
  }
}

const stays = (
  key: string,
  { code, detail }: { readonly code: Code; readonly detail?: string | undefined },
): Kept => ({ key, code, ...(detail !== undefined && { detail }) })
