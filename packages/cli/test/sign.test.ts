import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webhookInbox } from './in-process.js'

const secret = 'whsec_of_the_sign_tests'
const env = { WEBHOOK_SECRET: secret }
const body = '{ "id": "evt_1",\r\n "type": "transfer.settled" }\n'

let folder: string
const file = (name: string) => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sign 'test' "))
  await writeFile(file('event.json'), body)
  await writeFile(file('secret'), `${secret}\n`)
})
afterAll(() => rm(folder, { recursive: true }))

/** OpenSSL and every other implementation agree with this; the toolkit is not asked. */
const hex = (content: string | Buffer) => createHmac('sha256', secret).update(content).digest('hex')

describe('sign', () => {
  it('prints both headers for the exact bytes of a file', async () => {
    const { code, stdout, stderr } = await webhookInbox(
      ['sign', file('event.json'), '--timestamp', '1700000000'],
      { env },
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(
      `Service-Signature: t=1700000000,v1=${hex(`1700000000.${body}`)}\nService-Event-Id: evt_1\n`,
    )
  })

  it('signs with a secret that a receiver rejects, and warns', async () => {
    const { code, stdout, stderr } = await webhookInbox(['sign', file('event.json')], {
      env: { WEBHOOK_SECRET: 'whsec_short' },
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Service-Signature: /)
    expect(stderr).toMatch(/a receiver does not accept the secret in WEBHOOK_SECRET: .*fewer than 16 bytes/)
    expect(stderr).not.toContain('whsec_short')
  })

  it('signs standard input, with the secret of a file and the time of the clock', async () => {
    const { stdout } = await webhookInbox(['sign', '-', '--secret-file', file('secret')], {
      stdin: body,
      now: 1_800_000_000,
    })
    expect(stdout).toContain(`t=1800000000,v1=${hex(`1800000000.${body}`)}`)
  })

  it('prints the headers as JSON', async () => {
    const { stdout } = await webhookInbox(['sign', file('event.json'), '--timestamp', '1', '--json'], { env })
    expect(JSON.parse(stdout)).toEqual({
      headers: {
        'Content-Type': 'application/json',
        'Service-Signature': `t=1,v1=${hex(`1.${body}`)}`,
        'Service-Event-Id': 'evt_1',
      },
    })
  })

  it('signs under another scheme, from pairs or from a file', async () => {
    await writeFile(file('scheme.json'), '{ "content": "id.timestamp.body", "encoding": "base64" }')
    const expected = createHmac('sha256', secret).update(`evt_9.7.${body}`).digest('base64')
    for (const scheme of ['content=id.timestamp.body, encoding=base64', file('scheme.json')]) {
      const args = ['sign', file('event.json'), '--id', 'evt_9', '--timestamp', '7', '--scheme', scheme]
      expect((await webhookInbox(args, { env })).stdout).toContain(`v1=${expected}\n`)
    }
  })

  it.each([
    ['binary', Buffer.from([0, 255, 254, 10, 0])],
    ['empty', Buffer.alloc(0)],
    ['JSON without an id', Buffer.from('[1]')],
  ])('signs a body that is %s, and says that it has no id', async (_, bytes) => {
    const { code, stdout, stderr } = await webhookInbox(['sign', '-', '--timestamp', '5'], {
      env,
      stdin: bytes,
    })
    expect(code).toBe(0)
    const expected = hex(Buffer.concat([Buffer.from('5.'), bytes]))
    expect(stdout).toBe(`Service-Signature: t=5,v1=${expected}\n`)
    expect(stderr).toMatch(/no id/)
  })

  it('prints a curl command that a shell runs as it is', async () => {
    const deliveries: { headers: IncomingHttpHeaders; body: string }[] = []
    const server = createServer(async (request, response) => {
      const chunks = await request.toArray()
      deliveries.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.end()
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks?a=1&b='2'`
    try {
      const { stdout } = await webhookInbox(['sign', file('event.json'), '--curl', url], { env })
      await promisify(execFile)('sh', ['-c', stdout])
      expect(deliveries).toHaveLength(1)
      const delivery = deliveries[0]
      expect(delivery?.body).toBe(body)
      const t = /\d+/.exec(delivery?.headers['service-signature'] as string)?.[0]
      expect(delivery?.headers['service-signature']).toBe(`t=${t},v1=${hex(`${t}.${body}`)}`)
      expect(delivery?.headers['service-event-id']).toBe('evt_1')
    } finally {
      server.close()
    }
  })

  it('warns of a secret on the command line', async () => {
    const { code, stderr } = await webhookInbox(['sign', '-', '--secret', secret, '--id', 'evt_1'])
    expect(code).toBe(0)
    expect(stderr).toMatch(/^warning: --secret is visible/)
    expect(stderr).not.toContain(secret)
  })

  it.each([
    ['no secret', [], {}, 'no secret: set WEBHOOK_SECRET'],
    ['an empty secret', [], { WEBHOOK_SECRET: ' ' }, 'the secret in WEBHOOK_SECRET is empty'],
    ['a padded secret', [], { WEBHOOK_SECRET: `${secret}\n` }, 'begins or ends with white space'],
    ['two secrets', ['--secret', secret, '--secret-file', 'x'], {}, 'choose one'],
    ['a missing file of the secret', ['--secret-file', 'missing'], {}, 'cannot read missing'],
    ['a time that is no number', ['--timestamp', 'now'], env, '--timestamp must be a whole number'],
    ['a time in milliseconds', ['--timestamp', '1700000000000'], env, 'from 0 to 999999999999'],
    ['an unknown part of a scheme', ['--scheme', 'encodign=hex'], env, 'encodign'],
    ['an unknown value of a scheme', ['--scheme', 'encoding=rot13'], env, 'one of hex, base64, base64url'],
    ['curl and standard input', ['--curl', 'http://127.0.0.1'], env, 'needs a file'],
  ])('rejects %s', async (_, args, variables, message) => {
    const { code, stdout, stderr } = await webhookInbox(['sign', '-', ...args], {
      env: variables,
      stdin: body,
    })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toContain(secret)
  })

  it.each([
    ['missing.json', 'there is no such file'],
    ['.', 'it is a folder'],
  ])('says why it cannot read %s', async (path, message) => {
    const { code, stderr } = await webhookInbox(['sign', path], { env })
    expect(code).toBe(2)
    expect(stderr).toContain(`cannot read ${path}: ${message}`)
  })
})
