import type { Audit } from 'webhook-inbox'
import type { LineLog } from 'webhook-inbox/adapter'

export interface KeptDelivery {
  readonly key: string
  /** Why it stays. */
  readonly code: string
}

/**
 * Logs who checked deliveries that stay in quarantine, and why. The store keeps an audit only of a change, so it has none of
 * these.
 */
export function logKept(log: LineLog, { actor, reason }: Audit, kept: readonly KeptDelivery[]): void {
  if (kept.length > 0) {
    const each = kept.map(({ key, code }) => `${key} (${code})`).join(', ')
    log.info(
      `webhook-inbox-console: ${actor} verified deliveries again that stay in quarantine, with the reason ${JSON.stringify(reason)}: ${each}`,
    )
  }
}
