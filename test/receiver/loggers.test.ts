import { Writable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import type { Logger } from '../../src/report/result-log.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, delivery, secret, settled } from './deliver.js'

/** A stream that records what is written to it. */
function memory() {
  const written: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
  })
  return { written, stream }
}

/** The real loggers, created as a user does. Each writes one JSON object per line. */
const loggers: [name: string, make: (stream: Writable) => Promise<Logger>][] = [
  // Without the type argument, levels of any name are inferred, and one called `then` would make it a promise.
  ['pino', async (stream) => (await import('pino')).default<never>(stream)],
  [
    'winston',
    async (stream) => {
      const { default: winston } = await import('winston')
      return winston.createLogger({ transports: [new winston.transports.Stream({ stream })] })
    },
  ],
  ['bunyan', async (stream) => (await import('bunyan')).default.createLogger({ name: 'test', stream })],
]

it.each(loggers)('%s gets whole lines with the cause, and reads no format from them', async (_, make) => {
  const { written, stream } = memory()
  const logger = await make(stream)
  const cause = new Error('no such account %s %c %j')
  const receiver = createReceiver({
    secret,
    now: clock,
    logger,
    store: memoryStore(),
    fallback: () => Promise.reject(cause),
  })
  await receiver.receive(await delivery({ ...settled, id: 'evt_s' }))
  await vi.waitFor(() => expect(written).toHaveLength(1))
  const entry = JSON.parse(written[0] as string)
  const line: string = entry.msg ?? entry.message
  expect(line).toContain('event evt_s (transfer.settled, attempt 1): handler_failed')
  expect(line).toContain('Error: no such account %s %c %j; at ')
})

it('console gets one argument, so it reads no format and prints no undefined', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  const receiver = createReceiver({
    secret,
    now: clock,
    store: memoryStore(),
    fallback: () => Promise.reject(new Error('line\u2028one\u2029two\n%c')),
  })
  await receiver.receive(await delivery())
  expect(error).toHaveBeenCalledTimes(1)
  const [call] = error.mock.calls
  expect(call).toHaveLength(1)
  expect(call?.[0]).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
  error.mockRestore()
})
