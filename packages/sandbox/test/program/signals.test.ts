import type { EventEmitter } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runSandbox } from '../../src/program/run.js'

/** What the program writes to the streams of this process. */
function written(name: 'stdout' | 'stderr') {
  const texts: string[] = []
  const spy = vi.spyOn(process[name], 'write').mockImplementation((text) => texts.push(String(text)) > 0)
  onTestFinished(() => spy.mockRestore())
  return () => texts.join('')
}

/** Exits that would end this process. */
function exits() {
  const codes: unknown[] = []
  const spy = vi.spyOn(process, 'exit').mockImplementation(((code: unknown) => codes.push(code)) as never)
  onTestFinished(() => spy.mockRestore())
  return codes
}

/** The listeners of this process are only those that the program adds. Other files share it, and theirs could end it. */
function withoutListeners() {
  const shared: [emitter: EventEmitter, name: string][] = [
    [process, 'SIGINT'],
    [process, 'SIGTERM'],
    [process.stdout, 'error'],
  ]
  for (const [emitter, name] of shared) {
    const before = emitter.listeners(name) as (() => void)[]
    emitter.removeAllListeners(name)
    onTestFinished(() => {
      emitter.removeAllListeners(name)
      for (const listener of before) {
        emitter.on(name, listener)
      }
    })
  }
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends the program cleanly, and a later one immediately',
  async (signal) => {
    withoutListeners()
    const [output, codes] = [written('stdout'), exits()]
    const exited = runSandbox(['--port', '0'])
    await vi.waitFor(() => expect(output()).toContain('/v1'), 10_000)
    process.emit(signal)
    // npm passes on the same Ctrl-C once more.
    process.emit(signal)
    expect(codes).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 600))
    process.emit(signal)
    expect(codes).toEqual([130])
    expect(await exited).toBe(0)
  },
)

test('the program ends without an error when the reader of its output has ended', async () => {
  withoutListeners()
  const [output, codes] = [written('stdout'), exits()]
  expect(await runSandbox(['--help'])).toBe(0)
  expect(output()).toContain('Starts the payments platform')
  process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  expect(codes).toEqual([0])
})

test('the program writes an error to the stderr of its process', async () => {
  withoutListeners()
  const output = written('stderr')
  expect(await runSandbox(['--port', 'x'])).toBe(2)
  expect(output()).toBe('sandbox: --port must be 0 to 65535\n')
})
