import type { Store } from '../../src/store/store.js'
import { memoryStore } from '../../src/stores/memory.js'

/** The memory store with some methods replaced, and a list of the methods that were called. */
export function scriptedStore(script: Partial<Store> = {}): Store & { readonly calls: string[] } {
  const real = memoryStore()
  const calls: string[] = []
  return {
    calls,
    once(event, work) {
      calls.push('once')
      return (script.once ?? real.once)(event, work)
    },
    check() {
      calls.push('check')
      return (script.check ?? real.check)()
    },
    prune: (script.prune ?? real.prune).bind(real),
    close: (script.close ?? real.close).bind(real),
  }
}

export const never = new Promise<never>(() => {})
