import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { accepted, body, file, header, raw, save, useFolder, verify } from './rig.js'

useFolder()

describe('verify takes a delivery', () => {
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
})

describe('verify reads no more than a capture has', () => {
  const request = (headers: string, rest: string) => `POST /w HTTP/1.1\r\n${headers}\r\n\r\n${rest}`

  it.each([
    ['a negative chunk', request('Transfer-Encoding: chunked', '-6\r\n'), 'chunked body'],
    ['a chunk beyond the end', request('Transfer-Encoding: chunked', '99\r\nabc\r\n'), 'chunked body'],
    ['a chunk of no size', request('Transfer-Encoding: chunked', '6x\r\nabcdef\r\n'), 'chunked body'],
    ['a negative length', request('Content-Length: -1', 'abc'), 'Content-Length'],
    ['a length of letters', request('Content-Length: abc', 'abc'), 'Content-Length'],
  ])('and rejects %s', async (_, content, message) => {
    const { code, stderr } = await verify(['--from-request', await save('odd.http', content)])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('in time that grows with its size, whatever white space it has', { timeout: 20_000 }, async () => {
    const space = ' '.repeat(20_000)
    const content = request(`X:${space}\rx\r\nA:${space}x`, body)
    expect((await verify(['--from-request', await save('spaces.http', content)])).code).toBe(1)
  })

  it.each([
    ['headers that are no list', { log: { entries: [{ request: { headers: 5 } }] } }],
    ['an entry without a request', { log: { entries: [{}, null] } }],
    ['headers that are none', { headers: [null, { name: { toString: 1 } }, 7] }],
  ])('and finds no signature in a HAR file with %s', async (_, har) => {
    const { code, stdout } = await verify(['--from-har', await save('odd.har', JSON.stringify(har))])
    expect(code).toBe(1)
    expect(stdout).toContain('There is no Service-Signature')
  })

  it('and rejects a JSON header that is neither text nor a number', async () => {
    const headers = await save('odd.json', '{"a":{"toString":1}}')
    const { code, stderr } = await verify(['--headers', headers, '--body', file('body.json')])
    expect(code).toBe(2)
    expect(stderr).toContain('a header a that is neither text nor a number')
  })
})

describe('verify rejects', () => {
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
