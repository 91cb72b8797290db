import { signal } from 'webhook-inbox-ui/signals'
import { call } from '../api/call.js'
import { on } from '../api/stream.js'

/** What can go wrong, each with a probability and, for some, with an amount. */
export type Faults = Readonly<Record<string, Readonly<Record<string, number>>>>

export interface Chaos {
  readonly seed: number
  readonly all: Faults
  readonly subscriptions: Readonly<Record<string, Faults>>
}

export const chaos = signal<Chaos>({ seed: 1, all: {}, subscriptions: {} })

/** Changes what goes wrong. Rejects with `CallError`. */
export async function setChaos(next: Chaos): Promise<void> {
  chaos.value = await call<Chaos>('PUT', '/_sandbox/chaos', next)
}

export const faultsOn = (): number =>
  [chaos.value.all, ...Object.values(chaos.value.subscriptions)].flatMap(Object.keys).length

on<Chaos>('chaos', (settings) => {
  chaos.value = settings
})
on('reset', () => {
  void call<Chaos>('GET', '/_sandbox/chaos').then(
    (read) => {
      chaos.value = read
    },
    () => {},
  )
})
