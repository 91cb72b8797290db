import { expect, it } from 'vitest'
import { accept, audit, invalid, operationsRig } from './operations-rig.js'

const rig = operationsRig()

/** Objects without names of their own. Each would count as no conditions. */
const empty: Record<string, () => unknown> = {
  'a promise that nobody awaited': () => Promise.resolve({ type: 'transfer.settled' }),
  'a Date': () => new Date(),
  'a Map': () => new Map([['type', 'transfer.settled']]),
  'an object of a class': () => new (class Target {})(),
}

it.each(Object.entries(empty))('%s never selects everything', async (_, make) => {
  const receiver = rig.receiverOf('default')
  await receiver.start({ consume: false })
  await accept(receiver, 'evt_1')
  const given = make() as never
  for (const act of [
    () => receiver.pause(given, audit),
    () => receiver.resume(given, audit),
    () => receiver.plan({ action: 'giveUp', where: given }),
    () => receiver.plan(given),
    () => receiver.list(given),
    () => receiver.audits(given),
  ]) {
    await expect(act()).rejects.toMatchObject(invalid)
  }
  expect(await receiver.paused()).toEqual([])
  await receiver.stop()
})

it('takes a plain object of any realm', async () => {
  const receiver = rig.receiverOf('default')
  await receiver.start({ consume: false })
  expect(await receiver.list(Object.create(null))).toEqual([])
  expect(await receiver.list({})).toEqual([])
  await receiver.stop()
})
