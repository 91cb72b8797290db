import { expect, it } from 'vitest'
import type { HandlerContext } from '../../src/index.js'
import { delivery, settled } from './deliver.js'
import { audit, openEditedRig, patiently, receiverOf, throwProxy } from './edited-rig.js'

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

it('an edited body keeps the text of its numbers, its repeated keys and its white space', async () => {
  const seen: object[] = []
  const receiver = receiverOf({
    inexactNumbers: 'round',
    fallback: (_: unknown, { warnings }: HandlerContext) => void seen.push([...warnings]),
  })
  await receiver.start()
  await receiver.receive(await delivery(settled))
  const text = (id: string) =>
    `{ "type":"any", "id" : "${id}",\n"createdAt":"2026-01-02T03:04:05Z","data":{"account":12345678901234567891,"a":{"b":1,"b":2}} }`
  const id = await receiver.replayEdited(settled.id, { body: text(settled.id) }, audit)
  await expect.poll(async () => (await receiver.inspect(id))?.state, patiently).toBe('done')
  expect(Buffer.from((await receiver.inspect(id))?.body ?? []).toString()).toBe(text(id))
  expect(seen.at(-1)).toEqual([expect.stringContaining('data.account'), expect.stringContaining('data.a.b')])
  await receiver.stop()
})
