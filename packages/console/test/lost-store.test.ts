import { expect, it } from 'vitest'
import type { Receiver } from 'webhook-inbox'
import { openStream } from './open-stream.js'
import { limitedConsole, listen, openFilledInbox } from './rig.js'

it('a stream ends while the store does not respond, and begins again afterwards', async () => {
  const { url, store } = await openLosing(0.02)
  const first = await openStream(url)
  await first.next()
  store.isLost = true
  await first.ended()
  const rejected = await fetch(url)
  expect([rejected.status, await rejected.json()]).toMatchObject([503, { code: 'store_unavailable' }])
  store.isLost = false
  await connected(url)
})

it('pages that connect to a lost store ask it once together, and not again immediately', async () => {
  const { url, store } = await openLosing(1)
  const first = await openStream(url)
  await first.next()
  store.isLost = true
  await first.ended()
  store.asked = 0
  const together = await Promise.all(Array.from({ length: 20 }, () => fetch(url)))
  const start = performance.now()
  for (let at = 0; at < 10; at++) {
    together.push(await fetch(url))
  }
  const seconds = (performance.now() - start) / 1000
  expect(together.map(({ status }) => status)).toEqual(together.map(() => 503))
  expect(store.asked).toBeLessThanOrEqual(2 + seconds)
  store.isLost = false
  await connected(url)
})

/** A console whose store can be lost, and how often it was asked. */
async function openLosing(lookSeconds: number) {
  const { receiver } = await openFilledInbox()
  const store = { isLost: false, asked: 0 }
  const failing: Receiver = {
    ...receiver,
    statistics(query) {
      store.asked += 1
      return store.isLost ? Promise.reject(new Error('no database')) : receiver.statistics(query)
    },
  }
  const options = {
    authorize: () => true,
    readOnly: true,
    logger: { info() {}, warn() {}, error() {} },
  } as const
  return { url: `${await listen(limitedConsole(failing, options, { lookSeconds }))}/api/stream`, store }
}

/** Connects again and again, as a page does. */
async function connected(url: string): Promise<void> {
  for (;;) {
    const { status, body } = await fetch(url)
    await body?.cancel()
    if (status === 200) {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
