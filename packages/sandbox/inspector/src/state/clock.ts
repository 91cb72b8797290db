import { now } from 'webhook-inbox-ui'
import { signal } from 'webhook-inbox-ui/signals'
import { call } from '../api/call.js'
import { connection, on } from '../api/stream.js'

interface ClockRecord {
  readonly kind: 'real' | 'virtual'
  readonly now: string
}

export const clockKind = signal<ClockRecord['kind']>('real')

/** How far the sandbox's clock is ahead of the one of this machine, in milliseconds. Not for a virtual clock. */
let ahead = 0

function take({ kind, now: at }: ClockRecord): void {
  clockKind.value = kind
  now.value = Date.parse(at)
  ahead = now.value - Date.now()
}

/**
 * Runs the page by the clock of the sandbox. A virtual one stands still until it is advanced. Without a stream, the page is as of
 * then, so each stands still.
 */
export function followClock(): void {
  setInterval(() => {
    if (clockKind.value === 'real' && connection.value === 'live') {
      now.value = Date.now() + ahead
    }
  }, 1000)
}

on('clock', take)
on('reset', () => {
  void call<ClockRecord>('GET', '/_sandbox/clock').then(take, () => {})
})
