import { expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { start } from '../examples/program.js'
import { secret } from './deliver.js'

const startProgram = async (mode = '') => {
  const program = start(process.execPath, ['--import', 'tsx', 'test/receiver/stopping-program.ts', mode])
  await program.says(/^up$/m)
  return program
}

it.each(['SIGTERM', 'SIGINT'] as const)(
  '%s stops the receiver between before and after, and the process ends',
  async (signal) => {
    const program = await startProgram()
    expect(await program.end(signal)).toEqual({ code: 0, signal: null })
    expect(program.output().trim().split('\n')).toEqual([
      'up',
      `webhook-inbox: stopping on ${signal}; a second signal ends the process`,
      'before',
      'after',
    ])
  },
)

it('a second signal ends a process whose server does not close', async () => {
  const program = await startProgram('hang')
  const ended = program.end('SIGTERM')
  await program.says(/^before$/m)
  expect(await program.end('SIGINT')).toEqual({ code: null, signal: 'SIGINT' })
  await ended
  expect(program.output()).not.toContain('after')
})

it('a step that fails is logged, and the steps after it run', async () => {
  const program = await startProgram('fail')
  expect(await program.end('SIGTERM')).toEqual({ code: 1, signal: null })
  expect(program.output()).toMatch(
    /before failed while the receiver stopped; Error: the server did not close/,
  )
  expect(program.output()).toMatch(/^after$/m)
})

it('a before that does not end delays the steps after it for beforeSeconds', async () => {
  const program = await startProgram('bounded')
  expect(await program.end('SIGTERM')).toEqual({ code: 1, signal: null })
  expect(program.output()).toMatch(/^stopping\nbefore\nwebhook-inbox: before failed .*not done within 0.1 s/m)
  expect(program.output()).toMatch(/^after$/m)
})

it('stop() says that the receiver stops', async () => {
  const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
  expect(receiver.stopping.aborted).toBe(false)
  await receiver.stop()
  expect(receiver.stopping.aborted).toBe(true)
})

it('removed listeners leave the signal to its default', async () => {
  const program = await startProgram('remove')
  expect(await program.end('SIGTERM')).toEqual({ code: null, signal: 'SIGTERM' })
  expect(program.output()).not.toContain('before')
})

it('does nothing where there is no process, and rejects what is no function', () => {
  const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
  expect(() => receiver.stopOnSignals({ before: 1 as never })).toThrow(/before must be a function/)
  expect(() => receiver.stopOnSignals({ server: 1 } as never)).toThrow(/server/)
  for (const beforeSeconds of [-1, Number.NaN, Number.POSITIVE_INFINITY, '5' as never]) {
    expect(() => receiver.stopOnSignals({ beforeSeconds })).toThrow(/beforeSeconds/)
  }
  const listeners = process.listenerCount('SIGTERM')
  receiver.stopOnSignals()()
  expect(process.listenerCount('SIGTERM')).toBe(listeners)
  vi.stubGlobal('process', undefined)
  try {
    expect(receiver.stopOnSignals()()).toBeUndefined()
  } finally {
    vi.unstubAllGlobals()
  }
})
