import { afterEach, beforeEach, expect } from 'vitest'
import type { Receiver } from '../../src/receiver.js'
import { delivery, settled } from './deliver.js'
import { operationsRig, patiently } from './operations-rig.js'

export { invalid, noTarget, patiently, wrongState } from './operations-rig.js'

export const audit = { reason: 'the bank was down', actor: 'an operator' }

let rig: ReturnType<typeof operationsRig>
export const file = () => rig.file()

/** What the handler needs. */
export const bank = { isDown: true }
/** The events that the handlers of a test got. */
export let ran: string[] = []
let started: Receiver[] = []

/** Registers the hooks of a file. Call it once at the top, because the files of a worker share this module. */
export function openBulkRig(): void {
  rig = operationsRig()
  beforeEach(() => {
    bank.isDown = true
    ran = []
  })
  afterEach(async () => {
    await Promise.all(started.map((receiver) => receiver.stop()))
    started = []
  })
}

export const receiverOf = (over: object = {}): Receiver =>
  rig.receiverOf('default', {
    fallback({ id }: { id: string }) {
      ran.push(id)
      if (bank.isDown) {
        throw new Error('the bank is down')
      }
    },
    ...over,
  })

export async function start(
  receiver: Receiver,
  options?: Parameters<Receiver['start']>[0],
): Promise<Receiver> {
  started.push(receiver)
  await receiver.start(options)
  return receiver
}

/** Returns a started receiver with so many dead events. */
export async function withDead(count: number, over: object = {}): Promise<Receiver> {
  const receiver = await start(receiverOf(over))
  for (let i = 0; i < count; i++) {
    await receiver.receive(await delivery({ ...settled, id: `evt_${i}` }))
  }
  await expect.poll(async () => (await receiver.health()).counts.dead, patiently).toBe(count)
  ran = []
  return receiver
}
