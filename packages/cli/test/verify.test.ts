import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Setting, webhookInbox } from './in-process.js'

const secret = 'whsec_of_the_verify_tests'
const now = 1_800_000_000
const body = '{"id":"evt_1","type":"transfer.settled","data":{"owner":"Zoë"}}'
const hex = (content: string | Buffer, key = secret) =>
  createHmac('sha256', key).update(`${now}.`).update(content).digest('hex')
const header = `t=${now},v1=${hex(body)}`
const setting = { env: { WEBHOOK_SECRET: secret }, now }

let folder: string
const file = (name: string) => join(folder, name)
const save = async (name: string, content: string | Uint8Array) => {
  await writeFile(file(name), content)
  return file(name)
}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verify-'))
  await save('body.json', body)
})
afterAll(() => rm(folder, { recursive: true }))

const verify = (args: readonly string[], rest: Setting = {}) =>
  webhookInbox(['verify', ...args], { ...setting, ...rest })

const length = Buffer.byteLength(body)
const raw = (text: string, signature = header) =>
  `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nService-Signature: ${signature}\r\nservice-event-id: evt_1\r\nContent-Length: ${length}\r\n\r\n${text}`

describe('verify', () => {
  it('says yes, with status 0, and explains what it was given', async () => {
    const { code, stdout, stderr } = await verify(['--body', file('body.json'), '--header', header])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^yes\nThe signature matches/)
    expect(stdout).toMatch(/t {3}1800000000 +2027-01-15T08:00:00Z, now: within/)
    expect(stdout).toContain('32 bytes in hex')
    expect(stdout).toContain(`${length} bytes, JSON on one line`)
  })

  it('says no, with status 1, the cause and its fix', async () => {
    const pretty = JSON.stringify(JSON.parse(body), undefined, 2)
    const { code, stdout } = await verify(['--body', '-', '--header', header], {
      stdin: pretty,
      columns: 200,
    })
    expect(code).toBe(1)
    expect(stdout).toContain('body_reformatted')
    expect(stdout).toContain('The signed JSON is minified. First difference at byte 1;')
    expect(stdout).toContain('Fix: Verify the bytes as they arrive')
  })

  it('says no without a cause where none explains it', async () => {
    const { code, stdout } = await verify(['--body', '-', '--header', header], { stdin: '{"id":"evt_1"}' })
    expect(code).toBe(1)
    expect(stdout).toMatch(/combinations of corrections tried; none matches/)
    expect(stdout).not.toContain('cause:')
  })

  it('prints the diagnosis as JSON', async () => {
    const args = ['--body', file('body.json'), '--header', header, '--event-id', 'evt_2', '--json']
    const { code, stdout } = await verify(args)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      isAccepted: false,
      code: 'event_id_mismatch',
      causes: [{ code: 'event_id_mismatch', evidence: 'The header says evt_2, the body says evt_1.' }],
    })
  })

  it('judges t by --now and --tolerance', async () => {
    const args = ['--body', file('body.json'), '--header', header]
    expect((await verify([...args, '--now', `${now + 301}`])).stdout).toContain('timestamp_too_old')
    expect((await verify([...args, '--now', `${now + 301}`, '--tolerance', '10m'])).code).toBe(0)
  })

  it('prints the scheme to paste', async () => {
    const inBase64 = createHmac('sha256', secret).update(body).digest('base64')
    const args = ['--body', file('body.json'), '--header', `t=${now},v1=${inBase64}`]
    const line = "scheme: { content: 'body', encoding: 'base64' },"
    expect((await verify(args)).stdout).toContain(`\npaste into createReceiver\n  ${line}\n`)
    const discovered = await verify([...args, '--discover'])
    expect(discovered).toMatchObject({ code: 0, stdout: `${line}\n` })
    expect((await verify([...args, '--scheme', 'content=body,encoding=base64'])).code).toBe(0)
  })

  it('says that no scheme was discovered, with status 1', async () => {
    const { code, stdout } = await verify(['--body', '-', '--header', header, '--discover'], { stdin: 'x' })
    expect(code).toBe(1)
    expect(stdout).toContain('No scheme matches')
  })
})

describe('verify takes a delivery', () => {
  const accepted = async (args: readonly string[], rest: Setting = {}) => {
    const printed = await verify(args, rest)
    expect(printed.stdout).toMatch(/^yes\n/)
    return printed
  }

  it('from headers, one a line', async () => {
    const headers = `host: localhost\r\nSERVICE-SIGNATURE:${header}\r\nService-Event-Id: evt_1\r\n`
    await accepted(['--headers', await save('headers', headers), '--body', file('body.json')])
  })

  it('from headers as JSON', async () => {
    const headers = JSON.stringify({ 'service-signature': [header], 'Service-Event-Id': 'evt_1' })
    await accepted(['--headers', await save('headers.json', headers), '--body', file('body.json')])
  })

  it('from a raw HTTP request, with either line ending', async () => {
    await accepted(['--from-request', await save('raw', raw(body))])
    await accepted(['--from-request', '-'], { stdin: raw(body).replaceAll('\r\n', '\n') })
  })

  it('from a chunked request', async () => {
    const chunked = raw(`10\r\n${Buffer.from(body).toString('latin1', 0, 16)}\r\n`).replace(
      /Content-Length: \d+/,
      'Transfer-Encoding: chunked',
    )
    const rest = Buffer.from(body).subarray(16)
    const request = Buffer.concat([
      Buffer.from(chunked),
      Buffer.from(`${rest.length.toString(16)};note=1\r\n`),
      rest,
      Buffer.from('\r\n0\r\n\r\n'),
    ])
    await accepted(['--from-request', await save('chunked', request)])
  })

  it('from a raw request that an editor has ended with a line break', async () => {
    const { stderr } = await accepted(['--from-request', await save('edited', raw(`${body}\n`))])
    expect(stderr).toContain('1 bytes more than Content-Length')
  })

  it('from a raw request that is cut off, with a warning', async () => {
    const { code, stderr } = await verify(['--from-request', await save('cut', raw(body.slice(0, 20)))])
    expect(code).toBe(1)
    expect(stderr).toContain('the capture is incomplete')
  })

  it('from what curl -v prints', async () => {
    const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const headers = ['-H', `Service-Signature: ${header}`, '-H', 'Service-Event-Id: evt_1']
    try {
      const { stderr } = await promisify(execFile)('curl', [
        '-sv',
        ...headers,
        '-d',
        `@${file('body.json')}`,
        url,
      ])
      await accepted(['--from-curl', await save('curl.log', stderr), '--body', file('body.json')])
    } finally {
      server.close()
    }
  })

  it('from a HAR file', async () => {
    const plain = { headers: [{ name: 'accept', value: '*/*' }] }
    const signed = {
      headers: [
        { name: 'Service-Signature', value: header },
        { name: 'Service-Event-Id', value: 'evt_1' },
      ],
      postData: { mimeType: 'application/json', text: body },
    }
    const inBase64 = {
      ...signed,
      postData: { text: Buffer.from(body).toString('base64'), encoding: 'base64' },
    }
    const log = { entries: [plain, signed, inBase64].map((request) => ({ request })) }
    const har = await save('a.har', JSON.stringify({ log }))
    await accepted(['--from-har', har])
    await accepted(['--from-har', har, '--entry', '3'])
    await accepted(['--from-har', await save('entry.har', JSON.stringify({ request: signed }))])
    expect((await verify(['--from-har', har, '--entry', '1'])).stdout).toContain(
      'There is no Service-Signature',
    )
    expect((await verify(['--from-har', har, '--entry', '4'])).code).toBe(2)
  })

  it('whose header was sent twice', async () => {
    const twice = raw(body).replace('Host: localhost', `service-signature: ${header}`)
    const { code, stdout } = await verify(['--from-request', await save('twice', twice)])
    expect(code).toBe(1)
    expect(stdout).toContain('header_repeated')
  })

  it('whose header has another name', async () => {
    const renamed = raw(body).replace('Service-Signature', 'X-Forwarded-Signature')
    const { code, stderr } = await verify(['--from-request', await save('renamed', renamed)])
    expect(code).toBe(1)
    expect(stderr).toContain('X-Forwarded-Signature looks like the signature header')
  })

  it('with the body of another one', async () => {
    const otherBody = body.replace('evt_1', 'evt_2')
    const other = await save('other', raw(otherBody, `t=${now},v1=${hex(otherBody)}`))
    const args = ['--body', file('body.json'), '--header', `t=${now},v1=${hex(otherBody)}`, '--other', other]
    expect((await verify(args)).stdout).toContain('header_from_another_delivery')
  })

  it('that is signed with another secret, by its name', async () => {
    const other = 'whsec_of_the_staging_endpoint'
    const args = ['--body', file('body.json'), '--header', `t=${now},v1=${hex(body, other)}`]
    const fromEnv = await verify(args, { env: { WEBHOOK_SECRET: secret, WEBHOOK_SECRET_STAGING: other } })
    expect(fromEnv.stdout).toContain('It is WEBHOOK_SECRET_STAGING, not WEBHOOK_SECRET.')
    const path = await save('staging', `${other}\n`)
    const fromFile = await verify([...args, '--other-secret-file', path], { columns: 400 })
    expect(fromFile.stdout).toContain(`It is ${path}, not WEBHOOK_SECRET.`)
  })

  it.each([
    ['binary', Buffer.from([0, 255, 10, 13, 0])],
    ['empty', Buffer.alloc(0)],
  ])('whose body is %s', async (_, bytes) => {
    await accepted(['--body', '-', '--header', `t=${now},v1=${hex(bytes)}`], { stdin: bytes })
  })

  it('of 100 MB', async () => {
    const large = Buffer.alloc(100_000_000, 'a')
    const path = await save('large', large)
    await accepted(['--body', path, '--header', `t=${now},v1=${hex(large)}`])
  })

  it('whose headers have 64 KiB', async () => {
    const long = `t=${now},${`v1=${'0'.repeat(64)},`.repeat(960)}v1=${hex(body)}`
    const { code, stdout } = await verify(['--from-request', await save('long', raw(body, long))])
    expect(code).toBe(1)
    expect(stdout).toContain('header_oversized')
    expect(stdout.length).toBeLessThan(5000)
  })
})

describe('verify refuses', () => {
  it.each([
    ['no body', ['--header', header], 'the body is missing'],
    ['no header', ['--body', '-'], 'the signature header is missing'],
    ['two headers', ['--from-request', 'raw', '--header', header], 'given twice'],
    ['two captures', ['--from-request', 'raw', '--from-curl', 'x'], 'choose one of'],
    ['a request that is none', ['--from-request', 'body.json'], 'no raw HTTP request'],
    ['a capture of curl that is none', ['--from-curl', 'body.json', '--body', '-'], 'as curl -v prints'],
    ['a HAR file that is none', ['--from-har', 'body.json'], 'no log.entries'],
    ['a HAR file that is no JSON', ['--from-har', 'raw'], 'is not JSON'],
    ['headers that are none', ['--headers', 'raw', '--body', '-'], 'no header (Name: value)'],
    [
      'a tolerance of no unit',
      ['--header', header, '--body', '-', '--tolerance', 'soon'],
      '--tolerance must be',
    ],
    ['a tolerance of nothing', ['--header', header, '--body', '-', '--tolerance', '0'], 'toleranceSeconds'],
    ['a scheme that is none', ['--header', header, '--body', '-', '--scheme', 'key=rot13'], 'one of utf8'],
  ])('%s', async (_, args, message) => {
    await save('raw', raw(body))
    const paths = args.map((arg) => (arg === 'raw' || arg === 'body.json' ? file(arg) : arg))
    const { code, stdout, stderr } = await verify(paths)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })
})

describe('verify keeps to itself', () => {
  const forged = `t=${now},v1=${'0'.repeat(64)}`

  it('the secret and the expected signature', async () => {
    for (const extra of [[], ['--json'], ['--discover']]) {
      const { stdout, stderr } = await verify(['--body', file('body.json'), '--header', forged, ...extra])
      expect(stdout + stderr).not.toContain(secret.slice(6))
      expect(stdout + stderr).not.toContain(hex(body).slice(0, 16))
    }
  })

  it('a signature that matches: it is as good as a signed delivery', async () => {
    for (const extra of [[], ['--json']]) {
      const { code, stdout } = await verify(['--body', file('body.json'), '--header', header, ...extra])
      expect(code).toBe(0)
      expect(stdout).toContain(hex(body).slice(0, 12))
      expect(stdout).not.toContain(hex(body).slice(0, 16))
    }
  })

  it('the expected signature, unless asked', async () => {
    const args = ['--body', file('body.json'), '--header', forged, '--show-expected']
    expect((await verify(args)).stdout).toContain(`Service-Signature: ${header}`)
    expect(JSON.parse((await verify([...args, '--json'])).stdout).expected).toBe(header)
  })

  it('a secret that stands in what it reads', async () => {
    const { stdout, stderr } = await verify(['--body', '-', '--header', header, '--event-id', secret], {
      stdin: '{"id":"evt_1"}',
    })
    expect(stdout + stderr).not.toContain(secret)
    const args = ['--body', file('body.json'), '--header', header, '--event-id', secret]
    expect((await verify(args)).stdout).toContain('The header says [secret]')
  })

  it('escape sequences of the sender', async () => {
    const args = ['--body', file('body.json'), '--header', `${header},x\u001b]0;owned\u0007=1`]
    const { stdout } = await verify([...args, '--event-id', 'evt_\u001b[2J'])
    expect(stdout).not.toContain('\u001b')
    expect(stdout).toContain('evt_\\u{1b}[2J')
  })
})
