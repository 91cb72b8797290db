import { expect, it } from 'vitest'
import { fixture, testSender } from 'webhook-inbox/testing'
import { onEachStore } from './each-store.js'
import { secret, until } from './rig.js'

const audit = { reason: 'the customer has gone', actor: 'ops' }

onEachStore((rig) => {
  it.each(['replay', 'discard'])(
    '%s says that a delivery with the id of the event is in quarantine',
    async (verb) => {
      const sender = testSender({ receiver: rig().running, secret })
      const other = await fixture('transfer.failed', {
        id: 'evt_1',
        secret,
        data: { transferId: 'tr_other' },
      })
      expect(await sender.deliver(other)).toMatchObject({ outcome: 'quarantined' })
      const { code, stderr } = await rig().inbox([verb, 'evt_1', '--reason', 'look', '--dry-run'])
      expect(code).toBe(0)
      expect(stderr).toContain(
        'warning: evt_1: a delivery with its id and other content is in quarantine because of event_id_conflict',
      )
      const others = await rig().inbox([verb, 'evt_2', '--reason', 'look', '--dry-run'])
      expect(others.stderr).not.toContain('warning')
    },
  )

  it('replay and discard say who gave the event up', async () => {
    const { running } = rig()
    await running.pause({}, audit)
    const sender = testSender({ receiver: running, secret })
    await sender.send('transfer.settled', {}, { id: 'evt_up' })
    const plan = await running.plan({ action: 'giveUp', where: { state: 'accepted' } })
    await running.run(plan.id, audit)
    await until(async () => (await running.inspect('evt_up'))?.state === 'dead')
    await running.resume({}, audit)
    for (const args of [
      ['replay', 'evt_up'],
      ['discard', 'evt_up'],
      ['replay', '--type', 'transfer.settled'],
    ]) {
      const { code, stderr } = await rig().inbox([...args, '--reason', 'look', '--dry-run'])
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/warning: evt_up: it was given up by ops at 2\S+Z: the customer has gone/),
      ])
    }
  })
})
