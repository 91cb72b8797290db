import { expect, onTestFinished, test, vi } from 'vitest'
import { openService } from '../../src/open-service.js'
import { resolveOptions } from '../../src/options/resolve.js'
import { serviceApp } from '../../src/service-app.js'

function opened() {
  const service = openService(resolveOptions({ clock: 'virtual' }), { onAttempt() {}, onFailure() {} })
  const app = serviceApp(service, { addressOf: () => ({ host: '127.0.0.1', port: 1 }) })
  const close = async () => {
    service.progress.close()
    await service.courier.close()
    service.database.close()
  }
  return { service, app, close }
}

/** Follows the stream as a page does. */
async function follow(app: ReturnType<typeof opened>['app'], lastId?: string) {
  const headers = { ...(lastId !== undefined && { 'Last-Event-ID': lastId }) }
  const response = await app.fetch(new Request('http://127.0.0.1:1/_sandbox/stream', { headers }), {})
  const stream = { text: '', hasEnded: false }
  const reading = async () => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      stream.text += Buffer.from(chunk).toString()
    }
  }
  void reading()
    .catch(() => {})
    .then(() => {
      stream.hasEnded = true
    })
  await vi.waitFor(() => expect(stream.text).toContain(':\n\n'), 10_000)
  return stream
}

test('a reader with 2,000 unread messages gets them all, and one with more is disconnected', async () => {
  const { service, app, close } = opened()
  onTestFinished(close)
  const [patient, slow] = [await follow(app), await follow(app)]
  const publish = (count: number) => {
    for (let at = 1; at <= count; at++) {
      service.feed.publish('clock', { at })
    }
  }
  publish(2000)
  await vi.waitFor(() => expect(patient.text).toContain('"at":2000'), 20_000)
  await vi.waitFor(() => expect(slow.text).toContain('"at":2000'), 20_000)
  expect([patient.hasEnded, slow.hasEnded]).toEqual([false, false])
  publish(2001)
  await vi.waitFor(() => expect([patient.hasEnded, slow.hasEnded]).toEqual([true, true]), 20_000)
  // It comes back with the last one that it has.
  const again = await follow(app)
  service.feed.publish('chaos', {})
  await vi.waitFor(() => expect(again.text).toContain('event: chaos'), 10_000)
})

test('a message has its number, its type and its data, and a reader that missed some is told to begin anew', async () => {
  const { service, app, close } = opened()
  onTestFinished(close)
  const stream = await follow(app, 'start_other-1')
  service.feed.publish('clock', { now: 'noon' })
  await vi.waitFor(() => expect(stream.text).toContain('event: clock'), 10_000)
  const blocks = stream.text.split('\n\n').filter((block) => block !== '' && block !== ':')
  expect(blocks.map((block) => block.split('\n').sort())).toEqual([
    ['data: {}', 'event: reset'],
    ['data: {"now":"noon"}', 'event: clock', expect.stringMatching(/^id: start_[0-9A-Z]{26}-1$/)],
  ])
})

test('what is closed is not woken again', async () => {
  const { service, close } = opened()
  await close()
  expect(() => service.progress.wake()).not.toThrow()
  expect(() => service.courier.wake()).not.toThrow()
  await service.courier.idle()
})

test('a reader gets a comment every 15 seconds, so that a proxy keeps its connection', async () => {
  const { app, close } = opened()
  onTestFinished(close)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const response = await app.fetch(new Request('http://127.0.0.1:1/_sandbox/stream'), {})
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const read = async () => Buffer.from((await reader.read()).value ?? []).toString()
  expect(await read()).toBe(':\n\n')
  const next = read()
  const pause = () => new Promise((resolve) => setTimeout(() => resolve('nothing'), 50))
  vi.advanceTimersByTime(14_999)
  expect(await Promise.race([next, pause()])).toBe('nothing')
  vi.advanceTimersByTime(1)
  expect(await next).toBe(':\n\n')
  await reader.cancel()
  await expect.poll(() => vi.getTimerCount()).toBe(0)
})
