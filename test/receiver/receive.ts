import type { CommonOptions } from '../../src/options/types.js'
import { createReceiver } from '../../src/receiver.js'
import type { ReceiveRequest } from '../../src/request.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, type DeliverOptions, delivery, secret, settled } from './deliver.js'

export const base = { secret, now: clock, logger: false } as const

export const handled = { ...base, handlers: { 'transfer.settled': () => {} } }

export const receiver = (options: Partial<CommonOptions> & object = {}) =>
  createReceiver({ ...handled, store: memoryStore(), ...options } as never)

export async function receive(options: DeliverOptions = {}, settings: object = {}) {
  return receiver(settings).receive((await delivery(settled, options)) as ReceiveRequest)
}

export async function receiveBody(body: object | string | Uint8Array) {
  return receiver().receive(await delivery(body))
}
