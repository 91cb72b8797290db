import type { Queue } from '../queue/queue.js'
import type { StoreGuarantee } from '../store/store.js'

/** The guarantee as text, from the descriptions of the store and the queue. */
export function describeGuarantee(
  guarantee: StoreGuarantee | undefined,
  { queue, isSecretLoaded }: { readonly queue: Queue | undefined; readonly isSecretLoaded: boolean },
): string {
  if (!guarantee) {
    return 'guarantee not known: this process has not called start()'
  }
  const { store, scope, processCrash, hostCrash, runs, notes = [], warnings = [] } = guarantee
  return [
    `store: ${store}, shared by ${scope}`,
    `acknowledged events survive a process crash: ${processCrash}; a host crash: ${hostCrash}`,
    `a handler runs ${runs}`,
    queue ? `handlers run from a queue: ${queue.guarantee}` : 'handlers run before the response',
    ...notes,
    ...warnings,
    ...(isSecretLoaded
      ? ['the secret is a function: each delivery calls it, and start() does not check it']
      : []),
  ].join('. ')
}

/** What `start()` logs. */
export interface Announcement {
  /** The guarantee in one sentence, and where to read the rest. */
  readonly line: string
  /** What is wrong with the store of this program. */
  readonly warnings: readonly string[]
}

export function announce(
  guarantee: StoreGuarantee | undefined,
  { queue }: { readonly queue: Queue | undefined },
): Announcement {
  const { store, processCrash, hostCrash, warnings = [] } = guarantee as StoreGuarantee
  const survival =
    processCrash === hostCrash
      ? `a process or host crash: ${processCrash}`
      : `a process crash: ${processCrash}; a host crash: ${hostCrash}`
  const parts = [
    `started with ${store}${queue ? ' and a queue' : ', without a queue'}`,
    `acknowledged events survive ${survival}`,
    'see node_modules/webhook-inbox/docs/stores.md',
  ]
  return { line: parts.join('; '), warnings }
}
