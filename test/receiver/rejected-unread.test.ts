import { afterEach, describe, expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'

const unhandled = vi.fn()

afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 5))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
  unhandled.mockReset()
  removeFiles()
})

const base = { secret, now: clock, logger: false } as const

describe('before the body is read or a secret is loaded', () => {
  it.each([
    ['no signature', { 'service-signature': undefined }, 'missing_signature'],
    ['an empty signature', { 'service-signature': '' }, 'missing_signature'],
    ['a malformed signature', { 'service-signature': 'v1=a' }, 'malformed_signature'],
    [
      'a t and a v1 that were sent apart',
      { 'service-signature': 't=1700000000, v1=a' },
      'malformed_signature',
    ],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }, 'unsupported_media_type'],
    [
      'another quoted charset',
      { 'content-type': 'application/json;charset="utf-16"' },
      'unsupported_media_type',
    ],
  ])('%s is rejected', async (_, headers, code) => {
    const resolver = vi.fn(async () => secret)
    const read = vi.fn(async () => new Uint8Array())
    const receiver = createReceiver({ ...base, secret: resolver, store: memoryStore(), fallback: () => {} })
    const request = await delivery(settled, { headers })
    expect(await receiver.receive({ ...request, body: read })).toMatchObject({ code })
    expect(read).not.toHaveBeenCalled()
    expect(resolver).not.toHaveBeenCalled()
  })

  it.each(['utf-8', 'UTF-8', 'utf8', '"utf-8"'])('charset=%s is UTF-8', async (charset) => {
    const receiver = createReceiver({ ...base, store: memoryStore(), fallback: () => {} })
    const headers = { 'content-type': `application/json; profile=x; charset=${charset}` }
    expect(await receiver.receive(await delivery(settled, { headers }))).toMatchObject({
      outcome: 'processed',
    })
  })
})
