import { signal } from 'webhook-inbox-ui/signals'
import type { ConsoleAction, Feature, Me } from '../../src/wire.js'
import { read } from './call.js'

/** Who looks, and what that person may do. `undefined` until it is known. */
export const me = signal<Me | undefined>(undefined)
export const refusal = signal<string | undefined>(undefined)

let isAsking = false

/** Asks who looks, unless that is known. Called again with each attempt to connect. */
export async function readMe(): Promise<void> {
  if (isAsking || me.value) {
    return
  }
  isAsking = true
  try {
    me.value = await read<Me>('me')
  } catch (error) {
    refusal.value = (error as Error).message
  }
  isAsking = false
}

export const may = (action: ConsoleAction): boolean => me.value?.actions.includes(action) ?? false

/** Why this person may not do something. */
export const needs = (action: ConsoleAction): string =>
  me.value?.isReadOnly ? 'This console is read-only.' : `It needs the right ${action}.`

/** Whether the store of this receiver has this part. */
export const can = (feature: Feature): boolean => me.value?.features.includes(feature) ?? false
