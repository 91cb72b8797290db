import { afterAll, beforeAll, expect, vi } from 'vitest'

/** Fails a file that leaves something behind in its process, because the next file of the worker would find it. */

const stateOf = (): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value])),
  'process.exitCode': process.exitCode,
  'the working directory': process.cwd(),
  'a listener of unhandledRejection': process.listenerCount('unhandledRejection'),
  'a listener of uncaughtException': process.listenerCount('uncaughtException'),
  'fake timers': vi.isFakeTimers(),
  setTimeout,
  fetch,
  Date,
  'Math.random': Math.random,
  'JSON.parse': JSON.parse,
})

let before: ReturnType<typeof stateOf>
beforeAll(() => {
  before = stateOf()
})
// Registered first, so it runs after the hooks of the file.
afterAll(() => {
  const after = stateOf()
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  // The names alone: a variable of the environment may hold a secret.
  expect(names.filter((name) => before[name] !== after[name])).toEqual([])
})
