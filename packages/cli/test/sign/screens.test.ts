import { createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { otherSecrets, readSecret, readSecretFile, warnOfSecret } from '../../src/secrets.js'
import { webhookInbox } from '../in-process.js'

const secret = 'whsec_of_the_sign_tests'
const env = { WEBHOOK_SECRET: secret }
let folder: string
const file = (name: string) => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sign 'x' "))
  await writeFile(file('event.json'), '{"id":"evt_1"}')
  await writeFile(file('secret'), `${secret}\r\n`)
})
afterAll(() => rm(folder, { recursive: true }))

const hex = (content: string) => createHmac('sha256', secret).update(content).digest('hex')

describe('sign prints', () => {
  const signature = `t=5,v1=${hex('5.{"id":"evt_1"}')}`
  const sign = (...args: string[]) => webhookInbox(['sign', ...args, '--timestamp', '5'], { env })

  it('both headers', async () => {
    expect(await sign(file('event.json'))).toMatchObject({
      code: 0,
      stdout: `Service-Signature: ${signature}\nService-Event-Id: evt_1\n`,
      stderr: '',
    })
  })

  it('a curl command, for a file by its path or as a URL', async () => {
    const url = "http://x/?a='1'"
    const quoted = file('event.json').replaceAll("'", String.raw`'\''`)
    for (const given of [file('event.json'), pathToFileURL(file('event.json')).href]) {
      expect((await sign(given, '--curl', url)).stdout).toBe(
        [
          'curl -i',
          `-H 'Content-Type: application/json'`,
          `-H 'Service-Signature: ${signature}'`,
          `-H 'Service-Event-Id: evt_1'`,
          `--data-binary '@${quoted}'`,
          String.raw`'http://x/?a='\''1'\'''`,
        ]
          .join(' \\\n  ')
          .concat('\n'),
      )
    }
  })

  it('a note where there is no id, in JSON too', async () => {
    const note = 'The body has no id, so there is no Service-Event-Id header; give one with --id.\n'
    await writeFile(file('none.json'), '{}')
    const none = `t=5,v1=${hex('5.{}')}`
    expect(await sign(file('none.json'))).toMatchObject({
      code: 0,
      stdout: `Service-Signature: ${none}\n`,
      stderr: note,
    })
    expect(await sign(file('none.json'), '--json')).toMatchObject({
      stdout: `{"headers":{"Content-Type":"application/json","Service-Signature":"${none}"}}\n`,
      stderr: note,
    })
    expect((await sign(file('none.json'), '--id', 'evt_9')).stdout).toBe(
      `Service-Signature: ${none}\nService-Event-Id: evt_9\n`,
    )
  })

  it.each([
    ['{"id":7}', undefined],
    ['{"id":"a b"}', undefined],
    ['{"id":" a"}', undefined],
    ['{"id":"a "}', undefined],
    ['{"id":""}', undefined],
    ['{"id":"é"}', undefined],
    ['{"id":"!~"}', '!~'],
    ['null', undefined],
    ['x', undefined],
  ])('of the body %s the id %s', async (body, id) => {
    const { stdout } = await webhookInbox(['sign', '-', '--timestamp', '5'], { env, stdin: body })
    expect(stdout).toBe(
      `Service-Signature: t=5,v1=${hex(`5.${body}`)}\n${id === undefined ? '' : `Service-Event-Id: ${id}\n`}`,
    )
  })

  it.each([
    ['0', 0],
    ['999999999999', 0],
    ['1000000000000', 2],
    ['-1', 2],
    ['1.5', 2],
  ])('with the time %s, or rejects it: status %i', async (timestamp, code) => {
    const printed = await webhookInbox(['sign', file('event.json'), `--timestamp=${timestamp}`], { env })
    expect(printed.code).toBe(code)
    if (code === 0) {
      expect(printed.stdout).toContain(`t=${timestamp},v1=`)
    } else {
      expect(printed.stderr).toContain(
        'webhook-inbox: --timestamp must be a whole number from 0 to 999999999999\n',
      )
    }
  })

  it('nothing for standard input and curl', async () => {
    expect(await sign('-', '--curl', 'http://x/')).toMatchObject({
      code: 2,
      stderr:
        'webhook-inbox: --curl needs a file that curl can read, not standard input\nSee webhook-inbox sign --help.\n',
    })
  })
})

interface Given {
  readonly secret?: string
  readonly file?: string
  readonly env?: Record<string, string>
}

/** What `readSecret` finds, warns of and hides. */
async function read({ secret, file, env = {} }: Given) {
  const [warned, hidden]: [string[], string[]] = [[], []]
  const print = { warn: (text: string) => warned.push(text), hide: (text: string) => hidden.push(text) }
  const values = { secret, 'secret-file': file }
  const found = await readSecret({ values, print, world: { env } } as unknown as Parameters<
    typeof readSecret
  >[0])
  return { found, warned, hidden }
}

describe('the secret', () => {
  it('is that of the variable, of a file or of the command line', async () => {
    expect(await read({ env: { WEBHOOK_SECRET: ' a \n' } })).toEqual({
      found: { name: 'WEBHOOK_SECRET', secret: ' a \n' },
      warned: [],
      hidden: [' a \n'],
    })
    expect(await read({ file: file('secret'), env })).toEqual({
      found: { name: file('secret'), secret },
      warned: [],
      hidden: [secret],
    })
    expect(await read({ secret: 'typed', env })).toEqual({
      found: { name: '--secret', secret: 'typed' },
      warned: [
        '--secret is visible in ps and in the history of the shell; prefer WEBHOOK_SECRET or --secret-file',
      ],
      hidden: ['typed'],
    })
  })

  it.each<[Given, string]>([
    [{}, 'no secret: set WEBHOOK_SECRET, or name a file with --secret-file'],
    [{ secret: 'a', file: 'b' }, '--secret and --secret-file are both given; choose one'],
    [{ secret: ' ' }, 'the secret in --secret is empty'],
    [{ env: { WEBHOOK_SECRET: '' } }, 'the secret in WEBHOOK_SECRET is empty'],
    [{ file: 'none' }, 'cannot read none: there is no such file'],
  ])('is missing or wrong in %j', async (given, message) => {
    await expect(read(given)).rejects.toEqual(expect.objectContaining({ name: 'UsageError', message }))
  })

  it.each([
    ['a\n', 'a'],
    ['a\r\n', 'a'],
    ['a\n\n', 'a\n'],
    [' a ', ' a '],
    ['a\r', 'a\r'],
    ['a\nb', 'a\nb'],
    ['', ''],
  ])('in a file has no line break at its end: %j', async (content, found) => {
    await writeFile(file('other'), content)
    expect(await readSecretFile(file('other'))).toBe(found)
  })

  it('that a receiver rejects is warned of', async () => {
    const warned: string[] = []
    const print = { warn: (text: string) => warned.push(text) } as unknown as Parameters<
      typeof warnOfSecret
    >[2]
    await warnOfSecret({ name: 'FILE', secret }, undefined, print)
    await warnOfSecret(
      { name: 'FILE', secret: Buffer.alloc(24, 1).toString('base64') },
      { key: 'base64' },
      print,
    )
    expect(warned).toEqual([])
    await warnOfSecret({ name: 'FILE', secret: 'short' }, undefined, print)
    expect(warned).toEqual([
      expect.stringMatching(/^a receiver does not accept the secret in FILE: invalid_secret: /),
    ])
    await warnOfSecret({ name: 'FILE', secret: 'no base64 at all!' }, { key: 'base64' }, print)
    expect(warned).toHaveLength(2)
  })

  it('of other endpoints is in files and in variables', async () => {
    const hidden: string[] = []
    const variables = {
      WEBHOOK_SECRET_A: 'one',
      WEBHOOK_SECRET_B: ' ',
      WEBHOOK_SECRET_C: '',
      WEBHOOK_SECRET: 'own',
      MY_WEBHOOK_SECRET_D: 'other',
    }
    const call = { print: { hide: (text: string) => hidden.push(text) }, world: { env: variables } }
    const found = await otherSecrets([file('secret')], call as unknown as Parameters<typeof otherSecrets>[1])
    expect(found).toEqual([
      { name: file('secret'), secret },
      { name: 'WEBHOOK_SECRET_A', secret: 'one' },
    ])
    expect(hidden).toEqual([secret, 'one'])
  })
})
