import { expect, it, onTestFinished } from 'vitest'
import { type Receiver, StoreError } from 'webhook-inbox'
import { limitedConsole, listen, openFilledInbox } from './rig.js'

const quiet = { info() {}, warn() {}, error() {} }
const all = { authorize: () => true as boolean | Promise<boolean>, actor: () => 'operator', logger: quiet }
const data = /^\{"at":"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"\}$/

/** The text of a stream, as it grows. */
async function open(url: string, headers: Readonly<Record<string, string>> = {}) {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await fetch(`${url}/api/stream`, { headers, signal: leaving.signal })
  const stream = { text: '', hasEnded: false, response, leave: () => leaving.abort() }
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
  return stream
}

const blocks = (text: string) => text.split('\n\n').filter((block) => block !== '')
const fieldsOf = (block = '') => Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)))

it('a stream says when to connect again, and what changed', async () => {
  const { receiver, send } = await openFilledInbox()
  const url = await listen(limitedConsole(receiver, all, { lookSeconds: 0.02 }))
  const stream = await open(url)
  expect(stream.response.headers.get('connection')).toBe('close')
  await expect.poll(() => blocks(stream.text).length).toBeGreaterThan(2)
  const [retry, ...changes] = blocks(stream.text)
  expect(retry).toBe('retry: 2000')
  for (const block of changes) {
    const change = fieldsOf(block)
    expect(Object.keys(change).sort()).toEqual(['data', 'event', 'id'])
    expect(change).toMatchObject({ event: 'change', id: expect.stringMatching(/^[0-9a-f]{8}-\d+$/) })
    expect(change.data).toMatch(data)
  }
  const { id } = fieldsOf(changes.at(-1))
  // A reader that has the newest change gets nothing until there is another one.
  const again = await open(url, { 'Last-Event-ID': id ?? '' })
  await expect.poll(() => again.text).toContain('retry: 2000')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(blocks(again.text)).toEqual(['retry: 2000'])
  await send('transfer.settled', {}, 'evt_new')
  await expect.poll(() => again.text).toContain('event: change')
})

it('a beat and a pulse show that the program lives, without an id', async () => {
  const { receiver } = await openFilledInbox()
  const limits = { heartbeatSeconds: 0.03, pulseSeconds: 0.02, lookSeconds: 600 }
  const stream = await open(await listen(limitedConsole(receiver, all, limits)))
  await expect.poll(() => stream.text).toMatch(/event: beat\n[\s\S]*event: beat\n/)
  await expect.poll(() => stream.text).toMatch(/event: pulse\n[\s\S]*event: pulse\n/)
  const messages = blocks(stream.text).map(fieldsOf)
  const beat = messages.find(({ event }) => event === 'beat')
  expect(Object.keys(beat ?? {}).sort()).toEqual(['data', 'event'])
  expect(beat?.data).toMatch(data)
  expect(messages.find(({ event }) => event === 'pulse')).toEqual({ event: 'pulse', data: '1' })
})

it('a stream without a beat in its time sends none', async () => {
  const { receiver } = await openFilledInbox()
  const stream = await open(await listen(limitedConsole(receiver, all, { lookSeconds: 0.02 })))
  await expect.poll(() => stream.text).toContain('event: change')
  expect(stream.text).not.toMatch(/event: (beat|pulse|lost)/)
})

it.each([
  ['store_unavailable', new Error('no database')],
  ['busy', new StoreError('locked', { reason: 'busy' })],
] as const)('a stream of a lost store says why before it ends: %s', async (code, error) => {
  const { receiver } = await openFilledInbox()
  let isLost = false
  const losing: Receiver = {
    ...receiver,
    openCircuits: () => (isLost ? Promise.reject(error) : receiver.openCircuits()),
  }
  const url = await listen(limitedConsole(losing, all, { lookSeconds: 0.02 }))
  const stream = await open(url)
  await expect.poll(() => stream.text).toContain('event: change')
  isLost = true
  await expect.poll(() => stream.hasEnded).toBe(true)
  const last = fieldsOf(blocks(stream.text).at(-1))
  expect([last.event, JSON.parse(last.data ?? '')]).toEqual(['lost', { at: expect.any(String), code }])
  const rejected = await fetch(`${url}/api/stream`)
  expect([rejected.status, await rejected.json()]).toMatchObject([
    503,
    { code, detail: 'The store did not respond. The page connects again automatically.' },
  ])
})

it('one failure of the store ends no stream', async () => {
  const { receiver, send } = await openFilledInbox()
  let failures = 0
  const failing: Receiver = {
    ...receiver,
    openCircuits() {
      failures += 1
      return failures === 2 ? Promise.reject(new Error('a lock')) : receiver.openCircuits()
    },
  }
  const stream = await open(await listen(limitedConsole(failing, all, { lookSeconds: 0.02 })))
  // The check after the failure comes soon. The next one waits long on a busy machine.
  await expect.poll(() => failures).toBeGreaterThan(2)
  const seen = stream.text.length
  await send('transfer.settled', {}, 'evt_new')
  await expect.poll(() => stream.text.slice(seen)).toContain('event: change')
  expect([stream.hasEnded, stream.text.includes('event: lost')]).toEqual([false, false])
})

it.each([
  ['rights_unknown', () => Promise.reject(new Error('no session'))],
  ['rights_too_slow', () => new Promise<boolean>(() => {})],
])('a stream whose right is not known says so before it ends: %s', async (code, later) => {
  const { receiver } = await openFilledInbox()
  let answer: () => boolean | Promise<boolean> = () => true
  const options = { ...all, authorize: () => answer() }
  const limits = { askSeconds: 0.05, heartbeatSeconds: 0.05, lookSeconds: 600 }
  const stream = await open(await listen(limitedConsole(receiver, options, limits)))
  await expect.poll(() => stream.text).toContain('event: change')
  answer = later
  await expect.poll(() => stream.hasEnded).toBe(true)
  expect(JSON.parse(fieldsOf(blocks(stream.text).at(-1)).data ?? '')).toMatchObject({ code })
})

it('a stream whose right was taken away ends without a word', async () => {
  const { receiver } = await openFilledInbox()
  let isAllowed = true
  const options = { ...all, authorize: () => isAllowed }
  const stream = await open(await listen(limitedConsole(receiver, options, { heartbeatSeconds: 0.05 })))
  await expect.poll(() => stream.text).toContain('event: change')
  isAllowed = false
  await expect.poll(() => stream.hasEnded).toBe(true)
  expect(stream.text).not.toContain('event: lost')
})

it('the store is asked only while somebody reads, and then again', async () => {
  const { receiver } = await openFilledInbox()
  let asked = 0
  const counting: Receiver = {
    ...receiver,
    openCircuits() {
      asked += 1
      return receiver.openCircuits()
    },
  }
  const url = await listen(limitedConsole(counting, all, { lookSeconds: 0.02 }))
  expect(asked).toBe(0)
  const [one, other] = [await open(url), await open(url)]
  await expect.poll(() => asked).toBeGreaterThan(2)
  one.leave()
  const before = asked
  await expect.poll(() => asked).toBeGreaterThan(before + 1)
  other.leave()
  // A look may be under way, and the server must notice that the reader has left.
  await expect
    .poll(async () => {
      const seen = asked
      await new Promise((resolve) => setTimeout(resolve, 1200))
      return asked - seen
    })
    .toBe(0)
  const late = await open(url)
  await expect.poll(() => late.text).toContain('event: change')
})

it('a program that stops answers a stream with the words of a stop', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(limitedConsole(receiver, all, {}))
  await receiver.stop()
  const response = await fetch(`${url}/api/stream`)
  expect(await response.json()).toMatchObject({
    status: 503,
    code: 'stopping',
    detail: 'This program is stopping. The page connects again automatically.',
  })
})

it('a time without the store makes no process late, until it could report again', async () => {
  const { receiver } = await openFilledInbox()
  let isLost = false
  const silent = async () => (await receiver.workers()).map((each) => ({ ...each, silentSeconds: 46 }))
  const losing: Receiver = {
    ...receiver,
    workers: silent,
    openCircuits: () => (isLost ? Promise.reject(new Error('no database')) : receiver.openCircuits()),
  }
  const limits = { lookSeconds: 0.02, reportSeconds: 0.6 }
  const url = await listen(limitedConsole(losing, all, limits))
  const isLate = async () => (await (await fetch(`${url}/api/workers`)).json())[0].isLate
  expect(await isLate()).toBe(true)
  const stream = await open(url)
  await expect.poll(() => stream.text).toContain('event: change')
  isLost = true
  await expect.poll(() => stream.hasEnded).toBe(true)
  expect(await isLate()).toBe(false)
  isLost = false
  await expect
    .poll(
      async () =>
        await fetch(`${url}/api/stream`, { method: 'GET' }).then((answer) =>
          answer.body?.cancel().then(() => answer.status),
        ),
    )
    .toBe(200)
  expect(await isLate()).toBe(false)
  await expect.poll(isLate).toBe(true)
})
