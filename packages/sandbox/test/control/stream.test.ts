import { expect, onTestFinished, test } from 'vitest'
import { shapeA, startReceiver, startTestSandbox, type TestSandbox } from '../rig.js'

interface Message {
  readonly id?: string
  readonly event?: string
  // biome-ignore lint/suspicious/noExplicitAny: messages of every type
  readonly data?: any
}

/** Follows the stream until `count` messages have arrived. */
async function read(sandbox: TestSandbox, count: number, lastId?: string): Promise<Message[]> {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await fetch(`${sandbox.url}/_sandbox/stream`, {
    headers: lastId ? { 'Last-Event-ID': lastId } : {},
    signal: leaving.signal,
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  return collect(response, count, () => leaving.abort())
}

async function collect(response: Response, count: number, leave: () => void): Promise<Message[]> {
  const messages: Message[] = []
  let text = ''
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString()
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    messages.push(...blocks.map(messageOf).filter((message) => message.event))
    if (messages.length >= count) {
      break
    }
  }
  leave()
  return messages
}

function messageOf(block: string): Message {
  const fields = Object.fromEntries(
    block
      .split('\n')
      .filter((line) => !line.startsWith(':'))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { ...fields, ...(fields.data && { data: JSON.parse(fields.data) }) }
}

test('the stream reports requests, transfers, deliveries and attempts as they happen', async () => {
  const sandbox = await startTestSandbox()
  const receiver = await startReceiver()
  await sandbox.subscribe({ url: receiver.url, events: ['transfer.settled'] })
  const reading = read(sandbox, 7)
  // The reader must be there before something happens.
  await sandbox.get('/_sandbox/health')
  await sandbox.post('/v1/transfers', shapeA())
  await sandbox.advance({ seconds: 1 })
  const messages = await reading
  expect(messages.map(({ event }) => event)).toEqual([
    'request',
    'transfer',
    'delivery',
    'transfer',
    'attempt',
    'attempt',
    'clock',
  ])
  expect(messages[0]?.data).toMatchObject({ method: 'POST', path: '/v1/transfers', status: 201 })
  expect([messages[1], messages[3]].map((message) => message?.data.status)).toEqual(['processing', 'settled'])
  const { id, ...made } = messages[2]?.data ?? {}
  expect(made).toMatchObject({ eventType: 'transfer.settled', state: 'pending', attempts: 0, last: null })
  expect(messages[4]?.data).toMatchObject({ phase: 'started', number: 1, of: 6, attempt: null })
  expect(messages[5]?.data).toMatchObject({
    phase: 'ended',
    number: 1,
    of: 6,
    attempt: { number: 1, response: { status: 200 } },
    delivery: { id, state: 'delivered', last: { number: 1, status: 200 } },
  })
})

test('the stream reports a delivery that is canceled with its subscription, and the subscription', async () => {
  const sandbox = await startTestSandbox()
  const receiver = await startReceiver(() => 500)
  const reading = read(sandbox, 7)
  await sandbox.get('/_sandbox/health')
  const subscription = await sandbox.subscribe({ url: receiver.url, events: ['*'] })
  await sandbox.emit('evidence.exported')
  await sandbox.idle()
  await sandbox.request('DELETE', `/webhook-subscriptions/${subscription.id}`)
  const messages = await reading
  expect(messages.map(({ event, data }) => [event, data.status ?? data.state ?? data.phase])).toEqual([
    ['subscription', 'enabled'],
    ['delivery', 'pending'],
    ['attempt', 'started'],
    ['attempt', 'ended'],
    ['delivery', 'canceled'],
    ['subscription', 'deleted'],
    ['request', 204],
  ])
  expect(messages[4]?.data.last).toMatchObject({ number: 1, status: 500 })
  expect(JSON.stringify(messages)).not.toContain(subscription.secret)
})

test('a reader that comes back with Last-Event-ID gets what it missed, once and in order', async () => {
  const sandbox = await startTestSandbox()
  const reading = read(sandbox, 1)
  await sandbox.get('/_sandbox/health')
  await sandbox.get('/v1/wallets')
  const [first] = await reading
  for (const path of ['/v1/transfers', '/v1/events', '/v1/approvals']) {
    await sandbox.get(path)
  }
  const missed = await read(sandbox, 3, first?.id)
  expect(missed.map(({ data }) => data.path)).toEqual(['/v1/transfers', '/v1/events', '/v1/approvals'])
  expect(new Set(missed.map(({ id }) => id)).size).toBe(3)
  const rest = await read(sandbox, 1, missed[1]?.id)
  expect(rest.map(({ data }) => data.path)).toEqual(['/v1/approvals'])
})

test('a reader whose place is no longer kept, or is of another start, is told to read everything anew', async () => {
  const sandbox = await startTestSandbox()
  for (const lastId of ['start_other-1', 'nonsense', '-', 'x-99999999999999999999']) {
    expect((await read(sandbox, 1, lastId))[0]?.event).toBe('reset')
  }
})

test('closing the sandbox ends the stream', async () => {
  const sandbox = await startTestSandbox()
  const response = await fetch(`${sandbox.url}/_sandbox/stream`)
  const ended = response.text().catch(() => 'cut off')
  await sandbox.close()
  expect(typeof (await ended)).toBe('string')
})
