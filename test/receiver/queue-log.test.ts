import { afterEach, expect, it, vi } from 'vitest'
import { queueLog } from '../../src/report/queue-log.js'

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
