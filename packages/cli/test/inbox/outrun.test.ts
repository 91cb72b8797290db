import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliveryOf, testSender } from 'webhook-inbox/testing'
import { jsonLines, openRig, programs, type Rig, secret } from './rig.js'
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
  const { code, stdout } = await rig.inbox(
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
