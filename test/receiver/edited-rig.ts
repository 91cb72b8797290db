import { beforeEach } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import type { Receiver } from '../../src/receiver.js'
import { settled } from './deliver.js'
import { operationsRig } from './operations-rig.js'

export { invalid, patiently } from './operations-rig.js'

export const audit = { reason: 'a wrong account', actor: 'an operator' }
export const { type } = settled

let rig: ReturnType<typeof operationsRig>
export const file = () => rig.file()

/** What the handlers of a test have seen. */
export let seen: { id: string; data: unknown }[]

/** Registers the hooks of a file. Call it once at the top, because the files of a worker share this module. */
export function openEditedRig(): void {
  rig = operationsRig()
  beforeEach(() => {
    seen = []
  })
}

export const receiverOf = (over: object = {}): Receiver =>
  rig.receiverOf('default', {
    queue: localQueue({ pollSeconds: 3600 }),
    fallback: ({ id, data }: { id: string; data: unknown }) => void seen.push({ id, data }),
    ...over,
  })

const explode = () => {
  throw new Error('exploded')
}

/** Even `instanceof` throws on what it throws. */
export const throwProxy = () => {
  throw new Proxy({}, { get: explode, getPrototypeOf: explode })
}

/** A schema of one type that throws a proxy. */
export const hostileSchemas = (of: string) => ({
  [of]: { '~standard': { version: 1, vendor: 'test', validate: throwProxy } },
})
