import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliveryOf, testSender } from 'webhook-inbox/testing'
import { jsonLines, openRig, programs, type Rig, secret, until } from './rig.js'
import { hasTerminal, typed } from './terminal.js'

let rig: Rig
beforeAll(async () => {
  rig = await openRig('receiver.ts')
})
afterAll(() => rig?.close())

const module = programs('outrun.mjs')

/** Quarantines a delivery that fits the other program, and resolves to its key. */
async function quarantineOne(): Promise<string> {
  const event =
    '{"id":"evt_inexact","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}'
  const sender = testSender({ receiver: rig.running, secret })
  await sender.deliver(await deliveryOf(event, { secret, id: 'evt_inexact' }))
  const [delivery] = await rig.running.quarantined({ code: 'invalid_data' })
  return delivery?.key as string
}

it('verify-again names each delivery that another operator took first', async () => {
  const key = await quarantineOne()
  const { code, stdout } = await rig.program(
    ['verify-again', '--reason', 'r', '--yes', '--code', 'invalid_data'],
    module,
  )
  expect([code, jsonLines(stdout)]).toEqual([0, [{ key, isReleased: false, isGone: true }]])
  expect(await rig.running.inspect('evt_inexact')).toBeUndefined()
})

it.skipIf(!hasTerminal)('says it in words on a terminal (needs script of util-linux)', async () => {
  const key = await quarantineOne()
  const { code, screen } = await typed(module, ['verify-again', '--code', 'invalid_data'], 'y\r')
  expect(screen).toContain(`${key}  gone: another operator released or discarded it first`)
  expect(code).toBe(0)
})

it.each(['cancel', 'resume'])('steer %s changes no run that another operator paused first', async (verb) => {
  const plan = await rig.running.plan({ action: 'discard' })
  const run = await rig.running.run(plan, { reason: 'r', actor: 'a tester', perSecond: 0.001 })
  await until(async () => (await run.progress()).applied === 1)
  const steered = await rig.program(['steer', run.id, verb, '--reason', 'r'], programs('steered.mjs'))
  expect([steered.code, steered.stdout]).toEqual([1, ''])
  expect(steered.stderr).toMatch(
    /run-\S+ is paused now by Anna since 2\S+Z: a wrong amount; nothing was done/,
  )
  expect(await run.progress()).toMatchObject({ state: 'paused', changes: 1 })
  expect(await run.acts()).toMatchObject([{ action: 'pauseRun', actor: 'Anna' }])
  await run.cancel({ reason: 'r', actor: 'a tester' })
  await rig.running.undo(run.id, { reason: 'r', actor: 'a tester' })
})
