import { expect, test } from 'vitest'
import { pause } from '../../src/testing/laws.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()
const audit = { reason: 'a test', actor: 'suite' }

test('a run is free again when its lease ends, also if its process froze within a step', async () => {
  const store = rig.store()
  const { inbox } = store
  const { bulk } = inbox
  const event = newEvent()
  await inbox.accept(event, async () => {})
  await inbox.markDead(event.key, 'given up')
  await bulk?.makePlan({ id: 'plan', endpoint: event.endpoint, action: 'replay', where: {} })
  await bulk?.startRun({ id: 'run', plan: 'plan', perSecond: 100, canary: 0 }, audit)
  await bulk?.takeRun(event.endpoint, 'frozen', 5)
  let thaw = () => {}
  const frozen = new Promise<void>((resolve) => {
    thaw = resolve
  })
  const options = { most: 10, leaseSeconds: 5, undoSeconds: 60 }
  const step = bulk?.step('run', 'frozen', options, () => frozen).catch((error) => error)
  await pause(7)
  expect(await bulk?.takeRun(event.endpoint, 'another', 5)).toMatchObject({ id: 'run', applied: 0 })
  thaw()
  expect(await step).toBeInstanceOf(Error)
  expect(await inbox.read(event.key)).toMatchObject({ state: 'dead', generation: 0 })
})
