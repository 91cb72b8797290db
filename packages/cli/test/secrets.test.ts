import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webhookInbox } from './in-process.js'
import { closedPort, http } from './servers.js'

const word = 'do_not_print_me'
const secret = `whsec_${word}`
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'))
  await writeFile(join(folder, 'body.json'), '{"id":"evt_1"}')
  await writeFile(join(folder, 'secret'), `${secret}\n`)
  await writeFile(join(folder, 'bad.json'), '{')
})
afterAll(() => rm(folder, { recursive: true }))

/** A receiver that gives its secret away in status line, headers and body. */
const leaky = () =>
  http((request, response) => {
    request.resume()
    response.writeHead(500, `secret ${secret}`, { location: `/${secret}`, 'x-secret': secret })
    response.end(JSON.stringify({ outcome: secret, code: `${secret} was expected` }))
  })

const ways: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>])[] = [
  ['a variable', [], { WEBHOOK_SECRET: secret }],
  ['a file', ['--secret-file', 'secret'], {}],
  ['the command line', ['--secret', secret], {}],
]

describe.each(ways)('a secret from %s', (_, option, env) => {
  it('is in no output and no error', async () => {
    const url = await leaky()
    const closed = `http://127.0.0.1:${await closedPort()}`
    const lines = [
      ['sign', 'body.json'],
      ['sign', 'body.json', '--curl', url],
      ['sign', 'missing.json'],
      ['sign', 'body.json', '--scheme', 'key=hex'],
      ['sign', 'body.json', '--timestmap', '1'],
      ['verify', '--body', 'body.json', '--header', 't=1,v1=00'],
      ['verify', '--body', 'body.json', '--header', `t=1,v1=${secret}`, '--json'],
      ['verify', '--body', 'body.json', '--header', 't=1,v1=00', '--discover'],
      ['verify', '--body', 'bad.json', '--header', secret],
      ['verify', '--body', 'body.json', '--header', 't=1,v1=00', '--scheme', 'key=hex'],
      ['send', 'transfer.settled', '--to', url],
      ['send', 'body.json', '--to', url, '--json'],
      ['send', 'body.json', '--to', closed],
      ['send', 'body.json', '--to', url, '--scheme', 'key=base64'],
      ['check', url, '--only', 'answers'],
      ['check', url, '--only', 'accepts', '--json'],
      ['check', url, '--scheme', 'key=hex'],
      ['check', closed],
    ]
    for (const line of lines) {
      const args = [...line, ...option].map((arg) =>
        /^[\w-]+\.json$|^secret$/.test(arg) ? join(folder, arg) : arg,
      )
      const { code, stdout, stderr } = await webhookInbox(args, { env })
      expect([line.join(' '), code, stdout + stderr]).toEqual([
        expect.anything(),
        expect.any(Number),
        expect.not.stringContaining(word),
      ])
      expect(code, stdout + stderr).not.toBe(70)
      expect(stderr.includes('--secret is visible in ps')).toBe(
        option[0] === '--secret' && !line.includes('--timestmap'),
      )
    }
  })
})
