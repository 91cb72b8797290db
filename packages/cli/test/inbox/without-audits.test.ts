import { expect, it } from 'vitest'
import { testSender } from 'webhook-inbox/testing'
import { audit, because, rig, useOwnRig } from './own-rig.js'
import { jsonLines, programs, secret, until } from './rig.js'

useOwnRig()

const module = programs('without-audits.mjs')

it('an event is replayed, shown and discarded where the store keeps no audits', async () => {
  await rig.running.pause({}, audit)
  const replayed = await rig.inbox(['replay', 'evt_1', ...because], module)
  expect([replayed.code, jsonLines(replayed.stdout), replayed.stderr]).toEqual([
    0,
    [{ id: 'evt_1', generation: 1 }],
    'evt_1 was dead, and is queued again.\n',
  ])
  const shown = await rig.inbox(['show', 'evt_1', '--json'], module)
  expect([shown.code, JSON.parse(shown.stdout).replays]).toEqual([0, []])
  const discarded = await rig.inbox(['discard', 'evt_2', '--yes', ...because], module)
  expect([discarded.code, discarded.stderr]).toEqual([0, 'evt_2  dead event, transfer.failed\n'])
  await rig.running.resume({}, audit)
})

it('an event that was given up, then replayed or delivered anew, is not said to be given up', async () => {
  const { running } = rig
  const sender = testSender({ receiver: running, secret })
  const giveUp = async (id: string) => {
    await running.pause({}, audit)
    await sender.send('transfer.failed', {}, { id })
    const plan = await running.plan({ action: 'giveUp', where: { state: 'accepted' } })
    await running.run(plan.id, audit)
    await until(async () => (await running.inspect(id))?.state === 'dead')
    await running.resume({}, audit)
  }
  const warned = async (id: string) =>
    (await rig.inbox(['replay', id, '--dry-run', ...because])).stderr.includes(
      'it was given up by grace at 2',
    )
  await giveUp('evt_up')
  expect(await warned('evt_up')).toBe(true)
  expect(await warned('evt_1')).toBe(false)
  await running.replay('evt_up', audit)
  await until(async () => (await running.inspect('evt_up'))?.state === 'dead')
  expect(await warned('evt_up')).toBe(false)
  await giveUp('evt_anew')
  await running.discard('evt_anew', audit)
  await sender.send('transfer.failed', {}, { id: 'evt_anew' })
  await until(async () => (await running.inspect('evt_anew'))?.state === 'dead')
  expect(await warned('evt_anew')).toBe(false)
})
