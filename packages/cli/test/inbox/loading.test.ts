import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Purpose, type ReceiverModule, withReceiver } from '../../src/inbox/open-receiver.js'
import { webhookInbox } from '../in-process.js'
import { programs } from './rig.js'

const folder = mkdtempSync(join(import.meta.dirname, 'loaded-'))
beforeAll(() => {
  process.env.INBOX_DATABASE = join(folder, 'inbox.db')
})
afterAll(() => {
  rmSync(folder, { recursive: true })
  delete process.env.WEBHOOK_INBOX_CLI
})

/** A module with this text, which a receiver may precede. */
function save(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const verbs = "['list', 'inspect', 'replay', 'health', 'prune', 'stop']"
/** What the commands take for a receiver. Its stop says what it was given. */
const made = `Object.fromEntries(${verbs}.map((verb) => [verb, async (given) => { globalThis.calls.push([verb, given]) }]))`

const calls: unknown[] = []
Object.assign(globalThis, { calls })

interface Loaded {
  readonly module: ReceiverModule
  readonly working: readonly (string | undefined)[]
  readonly purpose: string | undefined
}

async function load(
  values: { readonly receiver: string | undefined },
  env: Record<string, string> = {},
  purpose?: Purpose,
): Promise<Loaded> {
  const working: (string | undefined)[] = []
  const print = { working: (text: string | undefined) => void working.push(text) }
  const call = { values, print, world: { env } } as unknown as Parameters<typeof withReceiver>[0]
  return withReceiver(
    call,
    async (module) => ({ module, working, purpose: process.env.WEBHOOK_INBOX_CLI }),
    purpose,
  )
}

const refusal = (message: unknown, name = 'UsageError') => expect.objectContaining({ name, message })

describe('a module', () => {
  it('is named by --receiver, or by the variable', async () => {
    const path = save('named.mjs', `export const receiver = ${made}`)
    const other = save('other.mjs', `export const receiver = ${made}; export const migrate = 'none'`)
    const first = await load({ receiver: path }, { WEBHOOK_INBOX_RECEIVER: other })
    expect(first.working).toEqual([`loading ${path}`, 'waiting for the store'])
    const second = await load({ receiver: undefined }, { WEBHOOK_INBOX_RECEIVER: other })
    expect(second.working[0]).toBe(`loading ${other}`)
    expect(second.module).not.toHaveProperty('migrate')
    await expect(load({ receiver: undefined })).rejects.toEqual(
      refusal('name the module that exports your receiver: --receiver FILE'),
    )
  })

  it.each<[string, string]>([
    ['exports.mjs', `export const receiver = ${made}; export const migrate = async () => 7`],
    ['default.mjs', `export default { receiver: ${made}, migrate: async () => 7 }`],
    ['both.mjs', `export default { receiver: 1, migrate: async () => 7 }; export const receiver = ${made}`],
    [
      'typed.ts',
      `enum A { B = 7 }; export const receiver = ${made}; export const migrate = async (): Promise<number> => A.B`,
    ],
    ['typed.mts', `export const receiver = ${made}; export const migrate = async (): Promise<number> => 7`],
    ['typed.cts', `module.exports = { receiver: ${made}, migrate: async (): Promise<number> => 7 }`],
    ['typed.tsx', `export const receiver = ${made}; export const migrate = async (): Promise<number> => 7`],
  ])('may be %s', async (name, text) => {
    for (const given of [save(name, text), pathToFileURL(save(name, text)).href]) {
      const { module } = await load({ receiver: given })
      expect(await module.migrate?.()).toBe(7)
      expect(module.receiver).toHaveProperty('health')
    }
  })

  it('is stopped after the work, and after a fault of it', async () => {
    const path = save('stopped.mjs', `export const receiver = ${made}`)
    calls.length = 0
    await load({ receiver: path })
    expect(calls).toEqual([['stop', { drainSeconds: 5 }]])
    const failing = save(
      'failing.mjs',
      `export const receiver = { ...${made}, stop: async () => { throw new Error('late') } }`,
    )
    expect((await load({ receiver: failing })).module.receiver).toBeDefined()
  })

  it('sees what it is loaded for', async () => {
    const path = save('purpose.mjs', `export const receiver = ${made}`)
    expect((await load({ receiver: path })).purpose).toBe('1')
    expect((await load({ receiver: path }, {}, 'migrate')).purpose).toBe('migrate')
  })

  it('that is not there is rejected', async () => {
    await expect(load({ receiver: 'none.mjs' })).rejects.toEqual(
      refusal('cannot read none.mjs: there is no such file'),
    )
  })

  it.each([
    ['empty.mjs', 'export {}'],
    ['null.mjs', 'export const receiver = null'],
    ['text.mjs', "export const receiver = 'list inspect replay health prune stop'"],
    ['part.mjs', `const { stop, ...receiver } = ${made}; export { receiver }`],
    ['first.mjs', `const { list, ...receiver } = ${made}; export { receiver }`],
    ['function.mjs', 'export const receiver = () => {}'],
  ])('without a receiver is rejected: %s', async (name, text) => {
    const path = save(name, text)
    await expect(load({ receiver: path })).rejects.toEqual(
      refusal(`${path} must export its receiver: export const receiver = createReceiver({ ... })`),
    )
  })
})

describe('a module that fails', () => {
  /** The error of a module that throws this. */
  async function thrown(expression: string, before = ''): Promise<Error & { stackOfCause?: string }> {
    const path = save(`fails-${Math.random()}.mjs`, `${before}\nthrow ${expression}`)
    const error = await load({ receiver: path }).catch((each) => each)
    error.message = error.message.replaceAll(path, 'MODULE')
    return error
  }
  const configuration = (code: string) =>
    `Object.assign(new Error('${code}: no'), { name: 'ConfigurationError', code: '${code}' })`

  it('because a server does not respond names it', async () => {
    expect(
      await thrown("Object.assign(new Error('connect 1.2.3.4'), { code: 'ECONNREFUSED' })"),
    ).toMatchObject({
      name: 'UnreachableError',
      message: 'MODULE cannot be loaded: a server does not respond: connect 1.2.3.4',
    })
    expect(await thrown("Object.assign(new Error(''), { code: 'ENOTFOUND' })")).toMatchObject({
      message: 'MODULE cannot be loaded: a server does not respond: ENOTFOUND',
    })
  })

  it('because of its store is explained as any command is', async () => {
    expect(await thrown("Object.assign(new Error('no'), { code: 'store_unavailable' })")).toMatchObject({
      name: 'UnreachableError',
      message: 'the store cannot be reached: no',
    })
  })

  it.each([
    ["'a text'", 'MODULE cannot be loaded: a text'],
    ['undefined', 'MODULE cannot be loaded: undefined'],
    [configuration('invalid_key'), 'MODULE cannot be loaded: invalid_key: no'],
    [configuration('invalid_option'), 'MODULE cannot be loaded: invalid_option: no'],
  ])('with %s says so in one line', async (expression, message) => {
    const error = await thrown(expression)
    expect(error).toMatchObject({ name: 'UsageError', message })
    expect(error.stackOfCause).toBeUndefined()
  })

  it('with a bug shows the stack', async () => {
    const error = await thrown("new TypeError('no database url')")
    expect(error).toMatchObject({ name: 'UsageError', message: 'MODULE cannot be loaded' })
    expect(error.stackOfCause).toMatch(/^TypeError: no database url\n {4}at .*fails-/)
    const without = await thrown("Object.assign(new Error('no stack'), { stack: undefined })")
    expect(without.stackOfCause).toBe('no stack')
    const syntax = save('syntax.ts', 'export const receiver: = 1')
    await expect(load({ receiver: syntax })).rejects.toMatchObject({ message: `${syntax} cannot be loaded` })
  })

  it('because of an option names the variables that it reads and that are not set', async () => {
    const reads = 'process.env.MY_SECRET; process.env.MY_PORT; process.env.INBOX_DATABASE;'
    const fix = (names: string) => `. The module reads ${names}, not set here: set what your program sets`
    expect((await thrown(configuration('invalid_option'), reads)).message).toBe(
      `MODULE cannot be loaded: invalid_option: no${fix('MY_SECRET, MY_PORT')}`,
    )
    expect((await thrown(configuration('invalid_secret'), reads)).message).toBe(
      `MODULE cannot be loaded: invalid_secret: no${fix('MY_SECRET')}`,
    )
    for (const name of ['API_KEY', 'a_token', 'secret_1']) {
      expect((await thrown(configuration('invalid_secret'), `process.env.${name}`)).message).toContain(
        fix(name),
      )
    }
    expect((await thrown(configuration('invalid_secret'), 'process.env.MY_PORT')).message).toBe(
      'MODULE cannot be loaded: invalid_secret: no',
    )
    expect((await thrown(configuration('invalid_key'), reads)).message).toBe(
      'MODULE cannot be loaded: invalid_key: no',
    )
  })
})

it('a command without its secret is rejected in one line', async () => {
  const { code, stderr } = await webhookInbox(['inbox', 'list', '-r', programs('without-secret.ts')], {
    env: process.env as Record<string, string>,
  })
  const [line, ...rest] = stderr.split('\n')
  expect([code, rest]).toEqual([2, ['See webhook-inbox inbox list --help.', '']])
  expect(line).toMatch(/without-secret\.ts cannot be loaded: invalid_secret: a secret cannot be used/)
  expect(line).toMatch(/\. The module reads MY_SECRET, not set here: set what your program sets$/)
})

it('the log of a program goes to stderr', async () => {
  const { console: before } = globalThis
  onTestFinished(() => {
    globalThis.console = before
  })
  await load({ receiver: save('logs.mjs', `export const receiver = ${made}`) })
  expect(globalThis.console).not.toBe(before)
})
