import { expect, it } from 'vitest'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { consoleHandler } from '../src/index.js'
import { openInbox, secret } from './rig.js'

const yes = (): boolean => true
const asOperator = (): string => 'operator'
const good = { authorize: yes, actor: asOperator }

it.each([
  ['no options', undefined],
  ['no authorize', { actor: asOperator }],
  ['an authorize that is no function', { ...good, authorize: true }],
  ['no actor where acts are possible', { authorize: yes }],
  ['an actor that is no function', { ...good, actor: 'operator' }],
  ['a readOnly that is no boolean', { ...good, readOnly: 'yes' }],
  ['an environment that is no text', { ...good, environment: 1 }],
  ['a mask that is no list', { ...good, mask: 'data.phone' }],
  ['an empty path in the mask', { ...good, mask: [''] }],
  ['a mask that is async', { ...good, mask: async () => '•••' }],
  ['a linkSecret that is short', { ...good, mask: ['data.a'], linkSecret: 'x'.repeat(15) }],
  ['a linkSecret that is no text', { ...good, mask: ['data.a'], linkSecret: 1 }],
  ['a logger without its methods', { ...good, logger: {} }],
  ['a logger that is null', { ...good, logger: null }],
  ['a path without its slash', { ...good, path: 'console' }],
  ['a path that ends in a slash', { ...good, path: '/console/' }],
])('%s is rejected when the program starts', async (_, options) => {
  const { receiver } = await openInbox()
  expect(() => consoleHandler(receiver, options as never)).toThrow(
    expect.objectContaining({ code: 'invalid_option' }),
  )
})

it.each([
  ['phone', 'data.phone'],
  ['phone.number', 'data.phone.number'],
  ['$.data.phone', 'data.phone'],
  ['/data/phone', 'data.phone'],
  ['data/phone', 'data.phone'],
  ['.data.phone', 'data.phone'],
  ['data..phone', 'data.phone'],
  ['data.phone.', 'data.phone'],
  ['data.**.phone', 'data.*.phone'],
  ['**.phone', '*.phone'],
  ['data.items[0].phone', 'data.items.0.phone'],
  ['data.items[].phone', 'data.items.*.phone'],
  ["$['data']['phone']", 'data.phone'],
])('a path of the mask that hides nothing is rejected: %s', async (path, fix) => {
  const { receiver } = await openInbox()
  expect(() => consoleHandler(receiver, { ...good, mask: ['data.name', path] })).toThrow(
    expect.objectContaining({
      code: 'invalid_option',
      message: expect.stringContaining(`mask has the path ${path}, which hides nothing; fix: ${fix}. `),
    }),
  )
  expect(() => consoleHandler(receiver, { ...good, mask: [fix] })).not.toThrow()
})

it('a mask may name every field of an event, in both forms, and any key', async () => {
  const { receiver } = await openInbox()
  const mask = [
    'id',
    'Type',
    'environment',
    'product',
    'createdAt',
    'created_at',
    'data',
    '*.phone',
    'data.*.$id',
  ]
  expect(() => consoleHandler(receiver, { ...good, mask })).not.toThrow()
})

it('a linkSecret of sixteen characters is long enough', async () => {
  const { receiver } = await openInbox()
  expect(() =>
    consoleHandler(receiver, { ...good, mask: ['data.a'], linkSecret: 'x'.repeat(16) }),
  ).not.toThrow()
})

it('an option that does not exist is rejected by name', async () => {
  const { receiver } = await openInbox()
  expect(() => consoleHandler(receiver, { ...good, authorise: () => true } as never)).toThrow(
    expect.objectContaining({ code: 'unknown_option', message: expect.stringContaining('authorise') }),
  )
})

it('a receiver whose store keeps no events is rejected', () => {
  const receiver = createReceiver({ secret, store: memoryStore(), fallback: () => {} })
  expect(() => consoleHandler(receiver, good)).toThrow(
    expect.objectContaining({
      name: 'ConfigurationError',
      code: 'invalid_store',
      detail: 'the store of the receiver keeps no events; fix: sqliteStore() or postgresStore()',
    }),
  )
})

it('anything but a receiver is rejected', () => {
  expect(() => consoleHandler({} as never, good)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
})
