import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { errorText } from '../../src/error-text.js'
import { lineLog } from '../../src/report/logger.js'
import { fingerprintOf } from '../../src/store/fingerprint.js'
import { reasonOf } from '../../src/store/reason.js'
import { postgresFault } from '../../src/stores/postgres/connection/postgres-fault.js'
import { redisFault } from '../../src/stores/redis/redis-fault.js'

/** What Node throws if a host has several addresses, and none of them accepts a connection. */
async function refusedConnection(): Promise<{ readonly error: Error; readonly port: number }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
  const lookup = (_host: string, _options: object, found: (error: null, addresses: object[]) => void) =>
    found(null, addresses)
  const socket = connect({ host: 'ledger', port, autoSelectFamily: true, lookup: lookup as never })
  const [error] = await once(socket, 'error').catch((thrown) => [thrown])
  return { error, port }
}

function lineOf(error: unknown): string {
  const lines: string[] = []
  const write = (line: string) => lines.push(line)
  lineLog({ info: write, warn: write, error: write }).error('handler_failed', error)
  return lines[0] as string
}

test('a refused connection to several addresses names each of them, everywhere', async () => {
  const { error, port } = await refusedConnection()
  expect([error.message, error.name]).toEqual(['', 'AggregateError'])
  const why = `connect ECONNREFUSED 127.0.0.1:${port}, connect ECONNREFUSED 127.0.0.2:${port}`
  expect(lineOf(error)).toContain(`handler_failed; AggregateError: ${why}; at `)
  expect(reasonOf(error)).toBe(`AggregateError: ${why}`)
  expect(reasonOf(new TypeError('fetch failed', { cause: error }))).toBe(
    `TypeError: fetch failed; cause: ${why}`,
  )
  expect((await fingerprintOf(error)).title).toMatch(/^AggregateError: connect ECONNREFUSED \*/)
  expect(postgresFault('list events', error).message).toContain(`(${why})`)
  expect(redisFault('claim', error).message).toContain(`(${why})`)
})

test('what Promise.any rejects with has its causes and the place of the first', async () => {
  const askLedger = async () => {
    throw new Error('no ledger')
  }
  const error = await Promise.any([askLedger()]).catch((thrown: unknown) => thrown)
  expect(lineOf(error)).toMatch(/AggregateError: All promises were rejected; causes: no ledger; at askLedger/)
})

test('a plain object that was thrown has its message and its code, and no other value', () => {
  const thrown = { code: 'E42', message: 'plain object', token: 'whsec_x' }
  expect(lineOf(thrown)).toBe('handler_failed; thrown: plain object (E42)')
  expect(lineOf({ token: 'whsec_x' })).toBe('handler_failed; thrown: [object Object] with token')
})

test('the code of an error is in the line, once', () => {
  const pg = Object.assign(new Error('duplicate key value'), { code: '23505' })
  expect(lineOf(pg)).toContain('; Error: duplicate key value (23505); at ')
  const node = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  expect(errorText(node)).toBe('Error: read ECONNRESET')
})

test('only a text of the form of a code is a code', () => {
  const withCode = (code: unknown) => errorText(Object.assign(new Error('no'), { code }))
  expect(withCode(42)).toBe('Error: no')
  expect(withCode('x'.repeat(60))).toBe(`Error: no (${'x'.repeat(60)})`)
  for (const other of ['', 'x'.repeat(61), 'a b', '-- \nE42', 'E42\n--']) {
    expect(withCode(other)).toBe('Error: no')
  }
})

test('very many collected errors make no long text', () => {
  const errors = Array.from({ length: 100_000 }, (_, index) => new Error(`attempt ${index}`))
  const error = new AggregateError(errors, 'no')
  expect(errorText(error)).toBe('AggregateError: no; causes: attempt 0, attempt 1, attempt 2 and 97 more')
})

test('three collected errors are all named, each once, by message, code or name', () => {
  const errors = [
    Object.assign(new Error(''), { code: 'ECONNRESET' }),
    new TypeError(''),
    new Error('no'),
    new Error('no'),
  ]
  expect(errorText(new AggregateError(errors))).toBe('AggregateError: ECONNRESET, TypeError, no')
  const others = ['down', { token: 'whsec_x', key: 1 }, {}]
  expect(errorText(new AggregateError(others))).toBe(
    'AggregateError: down, [object Object] with token, key, [object Object] with no keys',
  )
})

test('what was thrown and is no error has its own text', () => {
  const texts: [unknown, string][] = [
    [null, 'null'],
    ['[object of a text', '[object of a text'],
    [new Date('x'), 'Invalid Date'],
    [{ toString: () => 'a text of its own', message: 'no' }, 'a text of its own'],
    [{ name: 'ApiError', message: 'no' }, 'ApiError: no'],
    [{ name: 1, message: 'no' }, 'no'],
  ]
  for (const [thrown, text] of texts) {
    expect(errorText(thrown)).toBe(text)
  }
})
