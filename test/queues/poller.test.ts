import { expect, onTestFinished, test } from 'vitest'
import { Poller } from '../../src/queue/poller.js'
import { pause } from '../../src/testing/laws.js'
import { Shutdown } from '../../src/timing/shutdown.js'

const patiently = { timeout: 15_000, interval: 10 }

/** A poller over a list of waiting items. Each item runs until the test ends it. */
function polling({
  concurrency = 2,
  pollSeconds = 3600,
  fault,
}: {
  concurrency?: number
  pollSeconds?: number
  /** Called before each search, which waits for it. */
  fault?: () => void | Promise<void>
} = {}) {
  const shutdown = new Shutdown()
  const waiting: string[] = []
  const running = new Map<string, () => void>()
  const limits: number[] = []
  const errors: unknown[] = []
  const poller = new Poller<string>({
    concurrency,
    pollSeconds,
    shutdown,
    async find(limit) {
      limits.push(limit)
      await fault?.()
      return waiting.splice(0, limit)
    },
    run: (item) => new Promise((resolve) => running.set(item, resolve)),
    onError: (error) => errors.push(error),
  })
  const end = (item: string) => {
    running.get(item)?.()
    running.delete(item)
  }
  const stop = async () => {
    shutdown.begin()
    for (const item of [...running.keys()]) {
      end(item)
    }
    await poller.ended()
  }
  onTestFinished(stop)
  const names = () => [...running.keys()]
  return { poller, shutdown, waiting, names, limits, errors, end }
}

test('runs as many items as there are places, and the next one when an item ends', async () => {
  const { poller, waiting, names, end } = polling()
  waiting.push('a', 'b', 'c', 'd')
  poller.wake()
  await expect.poll(names, patiently).toEqual(['a', 'b'])
  await pause(0.05)
  expect(names()).toEqual(['a', 'b'])
  end('a')
  await expect.poll(names, patiently).toEqual(['b', 'c'])
  end('c')
  await expect.poll(names, patiently).toEqual(['b', 'd'])
})

test('does not search while every place is taken', async () => {
  const { poller, waiting, names, limits } = polling({ pollSeconds: 0.02 })
  waiting.push('a', 'b')
  poller.wake()
  await expect.poll(names, patiently).toEqual(['a', 'b'])
  const searches = limits.length
  poller.wake()
  await pause(0.2)
  expect(limits.slice(searches)).toEqual([])
})

test('searches again after pollSeconds, without a wake', async () => {
  const { waiting, names, limits } = polling({ pollSeconds: 0.02 })
  await expect.poll(() => limits.length, patiently).toBeGreaterThan(2)
  waiting.push('a')
  await expect.poll(names, patiently).toEqual(['a'])
})

test('reports a search that fails, and searches again', async () => {
  let faults = 2
  const { waiting, names, errors } = polling({
    pollSeconds: 0.02,
    fault() {
      if (faults-- > 0) {
        throw new Error('down')
      }
    },
  })
  waiting.push('a')
  await expect.poll(names, patiently).toEqual(['a'])
  expect(errors.map(String)).toEqual(['Error: down', 'Error: down'])
})

test('does not report a search that fails because the consumer stops', async () => {
  let disconnect = () => {}
  const { poller, shutdown, errors, limits } = polling({
    fault: () =>
      new Promise((_, reject) => {
        disconnect = () => reject(new Error('the connection is closed'))
      }),
  })
  await expect.poll(() => limits.length, patiently).toBe(1)
  shutdown.begin()
  const ended = poller.ended()
  disconnect()
  await ended
  expect([limits.length, errors]).toEqual([1, []])
})

test('has ended when the last item has ended, and takes no more', async () => {
  const { poller, shutdown, waiting, names, end } = polling()
  waiting.push('a')
  poller.wake()
  await expect.poll(names, patiently).toEqual(['a'])
  shutdown.begin()
  waiting.push('b')
  let hasEnded = false
  const ended = poller.ended().then(() => {
    hasEnded = true
  })
  await pause(0.05)
  expect([hasEnded, names()]).toEqual([false, ['a']])
  end('a')
  await ended
  expect(waiting).toEqual(['b'])
})

test('starts nothing that a search finds after the shutdown has begun', async () => {
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const { poller, shutdown, waiting, names } = polling({ fault: () => answered })
  waiting.push('a')
  shutdown.begin()
  answer()
  await poller.ended()
  expect(names()).toEqual([])
})
