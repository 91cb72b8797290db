import { expect } from 'vitest'
import { ConfigurationError } from '../../src/errors.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'

export const good = {
  secret: 'whsec_test_secret',
  store: memoryStore(),
  handlers: { 'transfer.settled': () => {} },
  logger: false as const,
}

export const day = 86_400

/** A name of the case, the options, and the code and a part of the message that they are rejected with. */
export type RejectedOptions = readonly [name: string, options: unknown, code: string, text: string]

export function expectRejected([, options, code, text]: RejectedOptions): void {
  const attempt = () => createReceiver(options as never)
  expect(attempt).toThrow(ConfigurationError)
  expect(attempt).toThrow(expect.objectContaining({ code }) as ConfigurationError)
  expect(attempt).toThrow(text)
}
