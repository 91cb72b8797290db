import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { startTestSandbox } from '../rig.js'

/** Sends these bytes and returns everything that comes back. */
async function exchange(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  socket.on('error', () => {})
  socket.write(bytes)
  await new Promise((resolve) => socket.once('close', resolve))
  return answer
}

const auth = 'Authorization: Bearer sk_sandbox_local\r\nConnection: close'

test.each([
  ['no HTTP', 'HELLO\r\n\r\n', 400],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['a method that does not exist', 'JUMP / HTTP/1.1\r\nHost: HOST\r\n\r\n', 400],
  ['no Host', `GET /v1/wallets HTTP/1.1\r\n${auth}\r\n\r\n`, 400],
  ['a Host that is none', `GET /v1/wallets HTTP/1.1\r\nHost: a b\r\n${auth}\r\n\r\n`, 400],
  [
    '64 KiB of headers',
    `GET /v1/wallets HTTP/1.1\r\nHost: HOST\r\n${auth}\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`,
    431,
  ],
  [
    'two lengths',
    `POST /v1/wallets HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    400,
  ],
  [
    'a chunk of no length',
    `POST /v1/wallets HTTP/1.1\r\nHost: HOST\r\n${auth}\r\nTransfer-Encoding: chunked\r\n\r\nZ\r\n`,
    400,
  ],
])('a request that is %s is answered with a problem document', async (_, bytes, status) => {
  const sandbox = await startTestSandbox()
  const answer = await exchange(sandbox.url, bytes.replace('HOST', new URL(sandbox.url).host))
  const [head, body] = answer.split('\r\n\r\n') as [string, string]
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(head).toMatch(/content-type: application\/problem\+json/i)
  expect(JSON.parse(body)).toMatchObject({ status, code: 'malformed_request' })
  expect((await sandbox.get('/v1/wallets')).status).toBe(200)
})

test('a request whose body ends halfway is malformed in the log, and changes nothing', async () => {
  const sandbox = await startTestSandbox()
  const { host, port } = new URL(sandbox.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(
    `POST /v1/wallets HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\nContent-Type: application/json\r\n` +
      'Content-Length: 45\r\n\r\n{"owner":"cus_ada",',
  )
  setTimeout(() => socket.destroy(), 50)
  await vi.waitFor(async () => {
    const { body } = await sandbox.get('/_sandbox/requests')
    expect(body.data).toMatchObject([{ path: '/v1/wallets', status: 400, code: 'malformed_request' }])
  }, 10_000)
})

test.each([
  ['HELLO\r\n\r\n', '400 Bad Request', 400],
  [`GET / HTTP/1.1\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`, '431 Request Header Fields Too Large', 431],
])('a request that cannot be read gets a whole response', async (bytes, line, status) => {
  const sandbox = await startTestSandbox()
  const [head = '', body = ''] = (await exchange(sandbox.url, bytes)).split('\r\n\r\n')
  const { requestId, ...problem } = JSON.parse(body)
  expect(head.split('\r\n')).toEqual([
    `HTTP/1.1 ${line}`,
    'Content-Type: application/problem+json',
    `Request-Id: ${requestId}`,
    'Sandbox-Assumption: G24',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ])
  expect(requestId).toMatch(/^req_[0-9A-Z]{26}$/)
  expect(problem).toEqual({
    type: 'about:blank',
    title: 'The request cannot be read',
    status,
    detail: 'This is not an HTTP request that the sandbox can read.',
    code: 'malformed_request',
  })
})
