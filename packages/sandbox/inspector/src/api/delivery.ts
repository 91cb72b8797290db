import { call } from './call.js'
import type { FullDelivery } from './records.js'

const pathOf = (id: string) => `/_sandbox/deliveries/${encodeURIComponent(id)}`

/** A delivery with its attempts. Rejects with `CallError`. */
export const readDelivery = (id: string) => call<FullDelivery>('GET', pathOf(id))

/** `retry` or `send`. Resolves to the delivery after its attempt. Rejects with `CallError`. */
export const actOnDelivery = (id: string, action: 'retry' | 'send', body?: unknown) =>
  call<FullDelivery>('POST', `${pathOf(id)}/${action}`, body)
