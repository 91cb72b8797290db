import { expect, it } from 'vitest'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { consoleHandler } from '../src/index.js'
import { openInbox, secret } from './rig.js'

const yes = (): boolean => true
const asOperator = (): string => 'operator'
const good = { authorize: yes, actor: asOperator }

it.each([
  ['no options', undefined, 'give options with authorize: without it nobody may see anything'],
  ['no authorize', { actor: asOperator }, 'authorize must be a function: without it nobody may see anything'],
  [
    'an authorize that is no function',
    { ...good, authorize: true },
    'authorize must be a function: without it nobody may see anything',
  ],
  [
    'no actor where acts are possible',
    { authorize: yes },
    'actor must be a function that returns a name for the audit; without it give readOnly: true',
  ],
  [
    'an actor that is no function',
    { ...good, actor: 'operator' },
    'actor must be a function that returns a name for the audit; without it give readOnly: true',
  ],
  ['a readOnly that is no boolean', { ...good, readOnly: 'yes' }, 'readOnly must be a boolean'],
  ['an environment that is no text', { ...good, environment: 1 }, 'environment must be a string'],
  ['a mask that is no list', { ...good, mask: 'data.phone' }, 'mask must be a list of paths, or a function'],
  ['an empty path in the mask', { ...good, mask: [''] }, 'mask must be a list of paths, or a function'],
  [
    'a mask that is async',
    { ...good, mask: async () => '•••' },
    'mask must not be async: return what to show',
  ],
  [
    'a linkSecret that is short',
    { ...good, mask: ['data.a'], linkSecret: 'x'.repeat(15) },
    'linkSecret must be a string of at least 16 characters',
  ],
  [
    'a linkSecret that is no text',
    { ...good, mask: ['data.a'], linkSecret: 1 },
    'linkSecret must be a string of at least 16 characters',
  ],
  [
    'a logger without its methods',
    { ...good, logger: {} },
    'logger must have info(), warn() and error(), or be false',
  ],
  [
    'a logger that is null',
    { ...good, logger: null },
    'logger must have info(), warn() and error(), or be false',
  ],
  [
    'a path without its slash',
    { ...good, path: 'console' },
    'path must begin with a slash and end without one, such as /console',
  ],
  [
    'a path that ends in a slash',
    { ...good, path: '/console/' },
    'path must begin with a slash and end without one, such as /console',
  ],
])('%s is rejected when the program starts', async (_, options, message) => {
  const { receiver } = await openInbox()
  expect(() => consoleHandler(receiver, options as never)).toThrow(
    expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(message) }),
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
