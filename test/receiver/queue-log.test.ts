import { afterEach, expect, it, vi } from 'vitest'
import { oncePerSecond, queueLog } from '../../src/report/queue-log.js'

afterEach(() => void vi.restoreAllMocks())

function logged(run: (log: (error: unknown) => void) => void): string[] {
  const spy = vi.spyOn(console, 'error').mockImplementation(() => {})
  run(queueLog('pg-boss'))
  return spy.mock.calls.map((values) => {
    expect(values).toHaveLength(1)
    return values[0] as string
  })
}

const coded = (code: string) =>
  Object.assign(new Error(`connection lost: ${code}`), { code, client: { host: 'db' } })

it('logs an error of a client in one line, without its objects', () => {
  const [line] = logged((log) => log(coded('57P01')))
  expect(line).toMatch(/^webhook-inbox: pg-boss; Error: connection lost: 57P01; at /)
  expect(line).not.toMatch(/\n|client|host/)
})

it('logs a code once a minute', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const lines = logged((log) => {
    for (const code of ['57P01', '57P01', 'ECONNREFUSED', '57P01']) {
      log(coded(code))
    }
    vi.advanceTimersByTime(61_000)
    log(coded('57P01'))
  })
  vi.useRealTimers()
  expect(lines.map((line) => /lost: (\w+)/.exec(line)?.[1])).toEqual(['57P01', 'ECONNREFUSED', '57P01'])
})

it('logs each message of an error without a code, and anything that is thrown', () => {
  const lines = logged((log) => {
    for (const error of [new Error('a'), new Error('b'), new Error('a'), 'text', undefined, null]) {
      log(error)
    }
  })
  expect(lines).toHaveLength(5)
})

it('calls an onError once a second for each code', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const told: unknown[] = []
  const onError = oncePerSecond('pg-boss', (error) => told.push(String(error)))
  for (const error of [coded('57P01'), coded('57P01'), new Error('a'), new Error('a'), new Error('b')]) {
    onError(error)
  }
  vi.advanceTimersByTime(1001)
  onError(new Error('a'))
  vi.useRealTimers()
  expect(told).toEqual(['Error: connection lost: 57P01', 'Error: a', 'Error: b', 'Error: a'])
})

it('logs what an onError throws or rejects with', async () => {
  const spy = vi.spyOn(console, 'error').mockImplementation(() => {})
  const fail = () => {
    throw new Error('thrown')
  }
  oncePerSecond('pg-boss', fail)(new Error('a'))
  oncePerSecond('pg-boss', async () => fail())(new Error('a'))
  await new Promise(setImmediate)
  const lines = spy.mock.calls.map(([line]) => line)
  expect(lines).toEqual(Array(2).fill(expect.stringMatching(/pg-boss: onError threw; Error: thrown/)))
})
