import { expect, it, onTestFinished } from 'vitest'
import { open } from '../stores/sqlite-rig.js'
import { accept, audit, operationsRig, patiently } from './operations-rig.js'

const { file, receiverOf } = operationsRig()

it('an explanation asks whether a process can report only while none does', async () => {
  const receiver = receiverOf('default')
  await receiver.start()
  onTestFinished(() => receiver.stop())
  await expect.poll(async () => (await receiver.workers()).length, patiently).toBe(1)
  await receiver.pause({}, audit)
  await accept(receiver, 'evt_1')
  const locked = open(file())
  locked.exec('BEGIN IMMEDIATE')
  expect(await receiver.explain('evt_1')).toMatchObject({ reason: 'paused' })
  locked.exec('ROLLBACK')
  locked.close()
})
