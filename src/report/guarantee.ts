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
  const { store, scope, processCrash, hostCrash, runs, notes = [] } = guarantee
  return [
    `store: ${store}, shared by ${scope}`,
    `acknowledged events survive a process crash: ${processCrash}; a host crash: ${hostCrash}`,
    `a handler runs ${runs}`,
    queue ? `handlers run from a queue: ${queue.guarantee}` : 'handlers run before the response',
    ...notes,
    ...(isSecretLoaded
      ? ['the secret is a function: each delivery calls it, and start() does not check it']
      : []),
  ].join('. ')
}
