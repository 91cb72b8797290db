import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { listDeliveries } from '../../src/delivery/deliveries.js'
import { replay } from '../../src/delivery/replay.js'
import { deliveryRig, named, receiver, settled } from './rig.js'

/** A receiver that answers when it is told, and the requests that it has open. */
async function patientReceiver() {
  const open: ServerResponse[] = []
  let isPatient = true
  const target = await receiver((response) => (isPatient ? open.push(response) : response.end()))
  const release = () => {
    isPatient = false
    for (const response of open) {
      response.end()
    }
  }
  return { ...target, open, release }
}

it('replays that are under way take places of the deliveries of their subscription', async () => {
  const rig = deliveryRig()
  const { url, open, received, release } = await patientReceiver()
  rig.subscribe({ url, events: ['*'] })
  const [known] = rig.record({ ...settled(), copies: 0 })
  const replays = replay(rig, known?.id as string, { times: 3, concurrent: true })
  await expect.poll(() => open.length).toBe(3)
  rig.record(...Array.from({ length: 6 }, (_, at) => settled(`tr_${at}`)))
  await expect.poll(() => open.length).toBe(4)
  // The others have had time to come.
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(open).toHaveLength(4)
  release()
  await replays
  await rig.courier.idle()
  expect(received).toHaveLength(9)
})

it('replays beyond the places of their subscription leave none for its deliveries', async () => {
  const rig = deliveryRig()
  const { url, open, received, release } = await patientReceiver()
  rig.subscribe({ url, events: ['*'] })
  const [known] = rig.record({ ...settled(), copies: 0 })
  const replays = replay(rig, known?.id as string, { times: 6, concurrent: true })
  await expect.poll(() => open.length).toBe(6)
  rig.record(settled())
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(open).toHaveLength(6)
  release()
  await replays
  await rig.courier.idle()
  expect(received).toHaveLength(7)
})

it('a receiver that is slow takes no places of another one', async () => {
  const rig = deliveryRig()
  const slow = await patientReceiver()
  const quick = await receiver()
  rig.subscribe({ url: slow.url, events: ['*'] })
  rig.subscribe({ url: quick.url, events: ['*'] })
  rig.record(...Array.from({ length: 6 }, (_, at) => settled(`tr_${at}`)))
  await expect.poll(() => slow.open.length).toBe(4)
  await expect.poll(() => quick.received.length).toBe(6)
  slow.release()
  await rig.courier.idle()
  expect(slow.received).toHaveLength(6)
})

it('an attempt that is aborted has no end, and is made again after a reset', async () => {
  const rig = deliveryRig()
  const { url, open, received, release } = await patientReceiver()
  rig.subscribe({ url, events: ['*'] })
  rig.record(settled())
  await expect.poll(() => open.length).toBe(1)
  await rig.courier.reset(() => {})
  expect(named(rig.notices, 'ended')).toEqual([])
  await expect.poll(() => open.length).toBe(2)
  release()
  await rig.courier.idle()
  expect(named(rig.notices, 'ended')).toEqual(['transfer.settled 1'])
  expect(received).toHaveLength(2)
  expect(listDeliveries(rig.database, { limit: 1 })).toMatchObject([{ state: 'delivered', attempts: 1 }])
})

it('attempts are numbered within their schedule, and a replay has numbers of its own', async () => {
  const rig = deliveryRig({ retrySeconds: [0, 0] })
  const { url } = await receiver((response) => response.writeHead(500).end())
  rig.subscribe({ url, events: ['*'] })
  const [event] = rig.record(settled())
  await rig.courier.idle()
  await replay(rig, event?.id as string)
  const ended = rig.notices.filter(({ phase }) => phase === 'ended')
  expect(ended.map(({ number, of }) => `${number} of ${of}`)).toEqual([
    '1 of 3',
    '2 of 3',
    '3 of 3',
    '1 of 1',
  ])
  const [first] = listDeliveries(rig.database, { limit: 1, before: 2 })
  await rig.courier.attemptNow(first?.id as string)
  expect(rig.notices.at(-1)).toMatchObject({ number: 4, of: 4 })
})

it('nothing starts after the courier is closed', async () => {
  const rig = deliveryRig()
  const { url, received } = await receiver()
  rig.subscribe({ url, events: ['*'] })
  const [event] = rig.record({ ...settled(), delaySeconds: 3600 })
  const [delivery] = listDeliveries(rig.database, { limit: 1 })
  await rig.courier.close()
  rig.courier.wake()
  expect(await rig.courier.attemptNow(delivery?.id as string)).toBeUndefined()
  expect(await rig.courier.attemptNow('dlv_none')).toBeUndefined()
  await rig.courier.idle()
  expect([received, event?.type]).toEqual([[], 'transfer.settled'])
})
