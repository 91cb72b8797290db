import { expect, it } from 'vitest'
import { delivery, settled } from './deliver.js'
import { audit, openEditedRig, receiverOf, throwProxy } from './edited-rig.js'

openEditedRig()

it('the longest body of an edited replay is that of a delivery', async () => {
  await receiverOf().receive(await delivery(settled))
  const bytes = async (maxBodyBytes: number, memo: string) => {
    const receiver = receiverOf({ maxBodyBytes })
    const id = await receiver.replayEdited(settled.id, { data: { ...settled.data, memo } }, audit)
    return (await receiver.inspect(id))?.body.length as number
  }
  const length = await bytes(10_000, 'x')
  expect(await bytes(length, 'y')).toBe(length)
  await expect(bytes(length, 'yy')).rejects.toThrow('body_too_large')
})

it('a place of an edited replay begins with data', async () => {
  const receiver = receiverOf()
  await receiver.receive(await delivery(settled))
  for (const [data, text] of [
    [{ fees: [1, Number.NaN] }, 'data.fees[1] is NaN'],
    [new Proxy({}, { ownKeys: throwProxy }), 'data must be readable'],
  ] as const) {
    await expect(receiver.replayEdited(settled.id, { data }, audit)).rejects.toThrow(text)
  }
})
