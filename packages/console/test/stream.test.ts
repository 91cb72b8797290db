import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createReceiver } from 'webhook-inbox'
import { testSender } from 'webhook-inbox/testing'
import { consoleHandler } from '../src/index.js'
import { openStream } from './open-stream.js'
import { act, json, limitedConsole, listen, openFilledInbox, secret, sqlite } from './rig.js'

const quiet = { info() {}, warn() {}, error() {} }
const all = { authorize: () => true, actor: () => 'operator', logger: quiet }

it('a server that closes is not kept open by a page', async () => {
  const { receiver } = await openFilledInbox()
  const server = createServer(consoleHandler(receiver, all))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/stream`
  const stream = await openStream(url)
  await stream.next()
  const closed = new Promise((resolve) => server.close(resolve))
  await receiver.stop()
  await stream.ended()
  expect(await closed).toBeUndefined()
})

it('a dozen consoles of one receiver cause no warning of Node, and each stream ends when it stops', async () => {
  const { receiver } = await openFilledInbox()
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const streams = []
  for (let at = 0; at < 12; at++) {
    const stream = await openStream(`${await listen(consoleHandler(receiver, all))}/api/stream`)
    await stream.next()
    streams.push(stream)
  }
  await receiver.stop()
  for (const stream of streams) {
    await stream.ended()
  }
  expect(warnings).toEqual([])
})

it('a stream is rejected while the program stops, and no response keeps its connection', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  await receiver.stop()
  const response = await fetch(`${url}/api/stream`)
  expect([response.status, await response.json()]).toMatchObject([503, { code: 'stopping' }])
  expect((await fetch(`${url}/api/me`)).headers.get('connection')).toBe('close')
})

it.each([
  ['is taken away', () => false],
  ['cannot be read', () => Promise.reject(new Error('no session'))],
  ['is never answered', () => new Promise<boolean>(() => {})],
])('a stream ends without a change when the right %s', async (_, later) => {
  const inbox = await openFilledInbox()
  let answer: () => boolean | Promise<boolean> = () => true
  const options = { authorize: () => answer(), readOnly: true, logger: quiet }
  const limits = { askSeconds: 0.1, lookSeconds: 0.05 }
  const stream = await openStream(
    `${await listen(limitedConsole(inbox.receiver, options, limits))}/api/stream`,
  )
  await stream.mark(1)
  answer = later
  await inbox.send('transfer.settled', {}, 'evt_new')
  await expect(stream.next()).rejects.toThrow('the stream ended')
})

it('a stream without a change ends as well when the right is gone', async () => {
  const { receiver } = await openFilledInbox()
  let isAllowed = true
  const options = { authorize: () => isAllowed, readOnly: true, logger: quiet }
  const url = await listen(limitedConsole(receiver, options, { heartbeatSeconds: 0.05 }))
  const stream = await openStream(`${url}/api/stream`)
  await stream.next()
  isAllowed = false
  await stream.ended()
})

it('deliveries of another endpoint wake no reader', async () => {
  const store = await sqlite()
  const receiverOf = (endpoint: string) =>
    createReceiver({ secret, endpoint, store: store as never, logger: false, fallback: () => {} })
  const [mine, other] = [receiverOf('mine'), receiverOf('other')]
  const url = await listen(limitedConsole(mine, all, { lookSeconds: 0.02 }))
  const stream = await openStream(`${url}/api/stream`)
  await stream.mark(1)
  const sender = testSender({ receiver: other, secret })
  for (let i = 0; i < 10; i++) {
    await sender.send('transfer.settled', {} as never, { id: `evt_${i}` })
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  expect((await other.list()).length).toBe(10)
  await testSender({ receiver: mine, secret }).send('transfer.settled', {} as never, { id: 'evt_mine' })
  await stream.mark(2)
  // A reader that comes now gets the newest mark.
  const another = await openStream(`${url}/api/stream`)
  expect((await another.next()).id).toMatch(/-2$/)
  await stream.close()
  await another.close()
})

it('an act waits no longer for actor than its limit, and does not happen later', async () => {
  const { receiver } = await openFilledInbox()
  let tell = (_: string) => {}
  const actor = () => new Promise<string>((resolve) => (tell = resolve))
  const url = await listen(limitedConsole(receiver, { ...all, actor }, { askSeconds: 0.1 }))
  const response = await fetch(`${url}/api/events/evt_dead/discard`, act('a test'))
  expect([response.status, await response.json()]).toMatchObject([503, { code: 'rights_too_slow' }])
  tell('operator')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await receiver.inspect('evt_dead')).toBeDefined()
})

it('a stream ends immediately when the program stops, however rarely the store is asked', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(limitedConsole(receiver, all, { lookSeconds: 600 }))
  // A person may type the address of the stream.
  const stream = await openStream(`${url}/api/stream`, { 'Sec-Fetch-Site': 'none' })
  await stream.mark(1)
  await receiver.stop()
  await stream.ended()
})

it('a process that does not report is late, also while somebody looks', async () => {
  const { receiver } = await openFilledInbox()
  const workers = async () => (await receiver.workers()).map((each) => ({ ...each, silentSeconds: 46 }))
  const url = await listen(limitedConsole({ ...receiver, workers }, all, { lookSeconds: 0.02 }))
  const stream = await openStream(`${url}/api/stream`)
  await stream.mark(1)
  expect(await json(`${url}/api/workers`)).toMatchObject([{ isLate: true }])
  await stream.close()
})
