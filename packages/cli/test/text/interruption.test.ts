import process from 'node:process'
import { afterEach, expect, it, vi } from 'vitest'
import { interruption } from '../../src/interruption.js'

const names = ['SIGINT', 'SIGTERM'] as const
const before = names.map((name) => process.listeners(name))
afterEach(() => {
  for (const [at, name] of names.entries()) {
    for (const listener of process.listeners(name).filter((each) => !before[at]?.includes(each))) {
      process.off(name, listener)
    }
  }
  vi.restoreAllMocks()
})

/** The listeners that are new. A real signal would reach the test runner too. */
const added = () =>
  names.map((name, at) => process.listeners(name).filter((each) => !before[at]?.includes(each)))

it('nothing listens before a command asks', () => {
  interruption()
  expect(added()).toEqual([[], []])
})

it.each([0, 1])('the signal aborts at Ctrl-C or SIGTERM (%#)', (at) => {
  const interrupted = interruption()
  const signal = interrupted()
  expect(interrupted()).toBe(signal)
  expect(added().map(({ length }) => length)).toEqual([1, 1])
  expect(signal.aborted).toBe(false)
  added()[at]?.[0]?.(names[at] as 'SIGINT')
  expect(signal.aborted).toBe(true)
})

it('the same key may arrive twice, and another Ctrl-C ends the process', () => {
  const ended: unknown[] = []
  vi.spyOn(process, 'exit').mockImplementation((status) => {
    ended.push(status)
    return undefined as never
  })
  let now = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  interruption()()
  const press = added()[0]?.[0] as () => void
  press()
  for (const later of [0, 100, 400]) {
    now = 1000 + later
    press()
  }
  now = 1500
  press()
  expect(ended).toEqual([])
  now = 1501
  press()
  expect(ended).toEqual([130])
})
