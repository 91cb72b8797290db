import { describe, expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { resolveOptions } from '../src/options.js'
import { openInbox } from './rig.js'

const good = { authorize: () => true, actor: () => 'operator' }
const logger = { info() {}, warn() {}, error() {} }

describe('an option', () => {
  it.each<[what: string, over: object]>([
    ['no path', { path: '' }],
    ['a path of one letter', { path: '/c' }],
    ['a path of two parts', { path: '/a/b' }],
    ['an empty environment', { environment: '' }],
    ['no logger', { logger: false }],
    ['a logger of its own', { logger }],
    ['a linkSecret without a mask', { linkSecret: 'x'.repeat(16) }],
    ['no actor, because it only reads', { actor: undefined, readOnly: true }],
    ['an actor although it only reads', { readOnly: true }],
    ['an empty mask', { mask: [] }],
    ['a mask of a key with brackets in it', { mask: ['data.a[0]b'] }],
    [
      'options that are undefined',
      { path: undefined, environment: undefined, mask: undefined, logger: undefined },
    ],
  ])('may be %s', async (_, over) => {
    const { receiver } = await openInbox()
    expect(() => consoleHandler(receiver, { ...good, ...over } as never)).not.toThrow()
  })

  it.each<[over: object, message: string]>([
    [{ path: '/' }, 'path must begin with a slash and end without one, such as /console'],
    [{ path: 'a/b' }, 'path must begin with a slash and end without one, such as /console'],
    [{ path: 7 }, 'path must begin with a slash and end without one, such as /console'],
    [{ path: null }, 'path must begin with a slash and end without one, such as /console'],
    [{ environment: null }, 'environment must be a string'],
    [{ readOnly: null }, 'readOnly must be a boolean'],
    [{ linkSecret: 'x'.repeat(15) }, 'linkSecret must be a string of at least 16 characters'],
    [{ linkSecret: null }, 'linkSecret must be a string of at least 16 characters'],
    [{ linkSecret: Array(16).fill('x') }, 'linkSecret must be a string of at least 16 characters'],
    [{ logger: { ...logger, info: 1 } }, 'logger must have info(), warn() and error(), or be false'],
    [{ logger: { ...logger, warn: undefined } }, 'logger must have info(), warn() and error(), or be false'],
    [{ logger: { info() {}, warn() {} } }, 'logger must have info(), warn() and error(), or be false'],
    [{ logger: true }, 'logger must have info(), warn() and error(), or be false'],
    [{ logger: () => {} }, 'logger must have info(), warn() and error(), or be false'],
    [
      { actor: null },
      'actor must be a function that returns a name for the audit; without it give readOnly: true',
    ],
    [
      { actor: undefined, readOnly: false },
      'actor must be a function that returns a name for the audit; without it give readOnly: true',
    ],
    [
      { actor: 'Ann', readOnly: true },
      'actor must be a function that returns a name for the audit; without it give readOnly: true',
    ],
  ])('%j is rejected with what it must be', async (over, message) => {
    const { receiver } = await openInbox()
    expect(() => consoleHandler(receiver, { ...good, ...over } as never)).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', code: 'invalid_option', detail: message }),
    )
  })

  it('that does not exist is rejected, with those that do', async () => {
    const { receiver } = await openInbox()
    expect(() => consoleHandler(receiver, { ...good, paths: '/a', readonly: true } as never)).toThrow(
      expect.objectContaining({
        code: 'unknown_option',
        detail:
          'paths, readonly is not an option; there are authorize, actor, environment, readOnly, mask, linkSecret, path, logger',
      }),
    )
  })

  it.each([[undefined], [null], [7], ['options']])(
    'is needed: options that are %j are rejected',
    async (options) => {
      const { receiver } = await openInbox()
      expect(() => consoleHandler(receiver, options as never)).toThrow(
        expect.objectContaining({
          detail: 'give options with authorize: without it nobody may see anything',
        }),
      )
    },
  )

  it.each([
    [undefined],
    [null],
    [{}],
    [{ list() {} }],
    [{ list() {}, stopping: {} }],
    [{ stopping: new AbortController().signal }],
  ])('cannot make a receiver of %j', (receiver) => {
    expect(() => consoleHandler(receiver as never, good)).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        detail: 'the first argument must be a receiver, made by createReceiver',
      }),
    )
  })
})

it('the options have these defaults', async () => {
  const { receiver } = await openInbox()
  expect(resolveOptions(receiver, good)).toEqual({
    receiver,
    authorize: good.authorize,
    actor: good.actor,
    environment: undefined,
    readOnly: false,
    mask: undefined,
    sealedKeys: undefined,
    path: '',
    logger: expect.anything(),
    limits: {
      askSeconds: 3,
      answerSeconds: 10,
      bodySeconds: 10,
      heartbeatSeconds: 20,
      pulseSeconds: 5,
      lookSeconds: 2,
      reportSeconds: 25,
    },
  })
  const masked = resolveOptions(receiver, { ...good, mask: ['data.a'], environment: 'test', path: '/c' })
  expect(masked).toMatchObject({ environment: 'test', path: '/c' })
  expect(masked.sealedKeys).toBeDefined()
  expect(masked.mask).toBeDefined()
})

it.each([
  ['data[0]', 'data.0'],
  ['data.a[]', 'data.a.*'],
  ["data['a b']", 'data.a b'],
  ['$', 'data'],
  ['$.a', 'data.a'],
  ['a/b', 'data.a.b'],
  ['data.**', 'data.*'],
  ['data.$', 'data'],
  ['created-at', 'data.created-at'],
])('for the path %s the mask suggests %s', async (path, fix) => {
  const { receiver } = await openInbox()
  expect(() => consoleHandler(receiver, { ...good, mask: [path] })).toThrow(
    expect.objectContaining({
      code: 'invalid_option',
      detail: `mask has the path ${path}, which hides nothing; fix: ${fix}. A path has keys with dots between them, and * for any key or index. It begins with id, type, environment, product, createdAt, created_at, data or *`,
    }),
  )
})
