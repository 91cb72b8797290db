import type { StoreGuarantee } from './dedupe/store.js'

/** The guarantee in plain words. */
export function describeGuarantee(guarantee: StoreGuarantee | undefined): string {
  if (!guarantee) return 'guarantee not known yet: start() asks the store'
  const { store, scope, processCrash, hostCrash, runs, notes = [] } = guarantee
  return [
    `store: ${store}, shared by ${scope}`,
    `acknowledged events survive a process crash: ${processCrash}; a host crash: ${hostCrash}`,
    `a handler runs ${runs}`,
    ...notes,
  ].join('. ')
}
