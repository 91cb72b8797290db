import { afterEach, expect, test, vi } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { Batches } from '../../src/stores/postgres/batches.js'

const item = (key: string, workSeconds: number) => ({
  key,
  body: new Uint8Array(1),
  durations: { workSeconds },
})
afterEach(() => {
  vi.useRealTimers()
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('what a server that hangs keeps waiting is given up with its delivery, and is not sent later', async () => {
  const sent: string[][] = []
  let answer = () => {}
  const batches = new Batches<ReturnType<typeof item>>((items) => {
    const keys = items.map(({ key }) => key)
    sent.push(keys)
    return new Promise((resolve) => {
      const previous = answer
      answer = () => {
        previous()
        resolve(new Set(keys))
      }
    })
  })
  const underWay: Promise<boolean>[] = []
  for (const key of ['one', 'two']) {
    underWay.push(batches.add(item(key, 0.05)))
    await pause(1)
  }
  expect(sent).toEqual([['one'], ['two']])

  const late = batches.add(item('three', 0.05)).catch((error: unknown) => error)
  const concurrent = batches.add(item('three', 0.05))
  await pause(100)
  const patient = batches.add(item('four', 60))
  expect(await late).toBeInstanceOf(StoreError)
  expect(await concurrent).toBe(false)

  const last = batches.add(item('five', 0.05)).catch((error: unknown) => error)
  await pause(100)
  answer()
  expect(await Promise.all(underWay)).toEqual([true, true])
  await pause(10)
  answer()
  expect(await patient).toBe(true)
  // It came after one that may wait longer, so it is in the same batch.
  expect(await last).toBe(true)
  expect(sent).toEqual([['one'], ['two'], ['four', 'five']])
})

test('many that come at once are one batch where nothing was under way, and share the lanes where they come again', async () => {
  // Whether a store is loaded is a matter of milliseconds, which a busy machine takes its own.
  vi.useFakeTimers({ toFake: ['performance'] })
  const sent: number[] = []
  const batches = new Batches<ReturnType<typeof item>>(async (items) => {
    sent.push(items.length)
    await pause(20)
    return new Set(items.map(({ key }) => key))
  })
  const burst = (count: number, name: string) =>
    Promise.all(Array.from({ length: count }, (_, index) => batches.add(item(`${name} ${index}`, 60))))

  expect(new Set(await burst(120, 'first'))).toEqual(new Set([true]))
  expect(sent).toEqual([120])
  await burst(120, 'again')
  expect(sent).toEqual([120, 60, 60])
  await burst(48, 'too few')
  expect(sent).toEqual([120, 60, 60, 48])
  vi.advanceTimersByTime(30)
  await burst(120, 'later')
  expect(sent).toEqual([120, 60, 60, 48, 120])

  await burst(1000, 'flood')
  const flood = sent.slice(5)
  expect(flood.slice(0, 4)).toEqual([200, 200, 200, 200])
  expect(flood.reduce((sum, count) => sum + count)).toBe(1000)
})
