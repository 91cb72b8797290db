import { Agent, type RequestListener } from 'node:http'
import { createServer as createSocketServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type Exchange, exchange, type WireRequest } from '../../src/http/exchange.js'
import { http, portOf, pour, trickle } from '../servers.js'

interface Seen {
  readonly method: string | undefined
  readonly headers: NodeJS.Dict<string | string[]>
  readonly raw: readonly string[]
  readonly body: string
}

/** Sends one request to a server that answers with 200 once it has read the body, or as `listener` says. */
async function sent(
  request: Partial<WireRequest>,
  listener?: RequestListener,
  timeoutSeconds = 20,
): Promise<{ result: Exchange; seen: Seen[] }> {
  const seen: Seen[] = []
  const url = await http(
    listener ??
      (async (incoming, response) => {
        const { method, headers, rawHeaders: raw } = incoming
        const body = await incoming.toArray().catch(() => ['cut off'])
        seen.push({ method, headers, raw, body: body.join('') })
        response.end('done')
      }),
  )
  return { result: await exchange(new URL(url), { headers: {}, ...request }, timeoutSeconds), seen }
}

const bytes = (text: string) => Buffer.from(text)

describe('a request', () => {
  it('is a POST without a body, on a connection of its own', async () => {
    const { seen } = await sent({})
    expect(seen).toMatchObject([{ method: 'POST', body: '', headers: { connection: 'close' } }])
  })

  it('has the method, the lines of headers and the body that it is given', async () => {
    const headers = { 'x-one': 'a', 'x-two': ['b', 'c'] }
    const { seen } = await sent({ method: 'PUT', headers, body: bytes('body') })
    expect(seen).toMatchObject([{ method: 'PUT', body: 'body', headers: { 'content-length': '4' } }])
    expect(seen[0]?.headers['transfer-encoding']).toBeUndefined()
    const pairs = seen[0]?.raw.join(' ') ?? ''
    expect(pairs).toContain('x-one a')
    expect(pairs).toContain('x-two b x-two c')
  })

  it('has no length without a body where the method is GET', async () => {
    const { seen } = await sent({ method: 'GET' })
    expect(seen[0]?.headers).not.toHaveProperty('content-length')
    expect(seen[0]?.headers).not.toHaveProperty('transfer-encoding')
  })

  it('may have a body in pieces, chunked or of a declared length', async () => {
    const pieces = [bytes('one '), bytes('two')]
    const chunked = await sent({ body: { pieces, declaredBytes: undefined } })
    expect(chunked.seen).toMatchObject([{ body: 'one two', headers: { 'transfer-encoding': 'chunked' } }])
    expect(chunked.seen[0]?.headers).not.toHaveProperty('content-length')
    const declared = await sent({ body: { pieces, declaredBytes: 7 } })
    expect(declared.seen).toMatchObject([{ body: 'one two', headers: { 'content-length': '7' } }])
    expect(declared.seen[0]?.headers).not.toHaveProperty('transfer-encoding')
    expect(declared.seen[0]?.headers).not.toHaveProperty('expect')
  })

  it('may pause between its pieces', async () => {
    const times: number[] = []
    await sent(
      { body: { pieces: [bytes('a'), bytes('b'), bytes('c')], declaredBytes: 3, pauseSeconds: 0.1 } },
      (incoming, response) => {
        incoming.on('data', () => times.push(performance.now())).once('end', () => response.end())
      },
    )
    expect(times).toHaveLength(3)
    expect(Number(times[2]) - Number(times[0])).toBeGreaterThan(150)
  })

  it('may wait for 100 Continue before it sends its body', async () => {
    const body = { pieces: [bytes('body')], declaredBytes: 4, expectsContinue: true }
    const { result, seen } = await sent({ body })
    expect(result).toMatchObject({ kind: 'answer', status: 200 })
    expect(result.seconds).toBeLessThan(1.5)
    expect(seen).toMatchObject([{ body: 'body', headers: { expect: '100-continue' } }])
  })

  it('sends its body after two seconds where no 100 Continue comes', async () => {
    const arrived: string[] = []
    const port = await portOf(
      createSocketServer((socket) => {
        socket.on('error', () => {})
        socket.on('data', (data) => {
          arrived.push(String(data))
          if (arrived.join('').endsWith('body')) {
            socket.end('HTTP/1.1 204 No Content\r\n\r\n')
          }
        })
      }),
    )
    const body = { pieces: [bytes('body')], declaredBytes: 4, expectsContinue: true }
    const result = await exchange(new URL(`http://127.0.0.1:${port}/`), { headers: {}, body }, 20)
    expect(result).toMatchObject({ kind: 'answer', status: 204 })
    expect(result.seconds).toBeGreaterThan(1.9)
  })

  it('sends its body without 100 Continue where a response begins', async () => {
    const port = await portOf(
      createSocketServer((socket) => {
        socket.on('error', () => {})
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n')
          socket.once('data', (data) => socket.end(data))
        })
      }),
    )
    const body = { pieces: [bytes('body')], declaredBytes: 4, expectsContinue: true }
    const result = await exchange(new URL(`http://127.0.0.1:${port}/`), { headers: {}, body }, 20)
    expect(result).toMatchObject({ kind: 'answer', status: 200, body: 'body' })
    expect(result.seconds).toBeLessThan(1.5)
  })

  it('may be broken off on purpose', async () => {
    const body = { pieces: [bytes('half')], declaredBytes: 8, aborts: true }
    const { result } = await sent({ body })
    expect(result).toEqual({
      kind: 'none',
      code: 'ABORTED',
      problem: 'the upload was aborted on purpose',
      seconds: expect.any(Number),
    })
  })

  it('may share a connection', async () => {
    const ports = new Set<number | undefined>()
    const url = new URL(
      await http((incoming, response) => {
        ports.add(incoming.socket.remotePort)
        incoming.resume().once('end', () => response.end('x'))
      }),
    )
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let turn = 0; turn < 3; turn++) {
      expect(await exchange(url, { headers: {}, body: bytes('b'), agent }, 20)).toMatchObject({ status: 200 })
    }
    agent.destroy()
    expect(ports.size).toBe(1)
  })

  it('stops its upload where the answer came before its end', async () => {
    const piece = Buffer.alloc(65_536)
    const pieces = Array<Uint8Array>(512).fill(piece)
    const { result } = await sent({ body: { pieces, declaredBytes: undefined } }, (_, response) => {
      response.writeHead(413).end('too large')
    })
    expect(result).toMatchObject({ status: 413, body: 'too large', isUploaded: false, isCut: false })
  })
})

describe('an answer', () => {
  it('has its status, its headers by lower-case name, its body and its time', async () => {
    const { result } = await sent({ body: bytes('x') }, (incoming, response) => {
      response.sendDate = false
      response.setHeader('X-Two', ['a', 'b'])
      incoming.resume().once('end', () => setTimeout(() => response.writeHead(418).end('Zoë'), 50))
    })
    expect(result).toEqual({
      kind: 'answer',
      status: 418,
      headers: { 'x-two': 'a, b', connection: 'close', 'transfer-encoding': 'chunked' },
      body: 'Zoë',
      isCut: false,
      isUploaded: true,
      seconds: expect.any(Number),
    })
    expect(result.seconds).toBeGreaterThan(0.04)
    expect(result.seconds).toBeLessThan(15)
  })

  it('has at most 64 KiB of its body', async () => {
    const answered = async (length: number) =>
      (await sent({}, (_, response) => response.end('x'.repeat(length)))).result
    expect(await answered(65_536)).toMatchObject({ body: 'x'.repeat(65_536), isCut: false })
    expect(await answered(65_537)).toMatchObject({ body: 'x'.repeat(65_536), isCut: true })
    expect((await sent({}, pour)).result).toMatchObject({ body: 'x'.repeat(65_536), isCut: true })
  })

  it.each<[string, RequestListener, string, string, number]>([
    ['never comes', () => {}, 'TIMEOUT', 'no response within 0.3 s', 0.3],
    ['never ends', trickle, 'ENDLESS', 'the response began but did not end within 0.3 s', 0.3],
    [
      'is cut off',
      (_, response) => {
        response.writeHead(200, { 'content-length': '10' }).write('half')
        setTimeout(() => response.destroy(), 50)
      },
      'CUT_OFF',
      'the connection closed in the middle of the response',
      20,
    ],
    [
      'is a closed connection',
      ({ socket }) => socket.destroy(),
      'ECONNRESET',
      'the connection was closed without a response',
      20,
    ],
  ])('that %s is none', async (_, listener, code, problem, timeoutSeconds) => {
    const { result } = await sent({}, listener, timeoutSeconds)
    expect(result).toEqual({ kind: 'none', code, problem, seconds: expect.any(Number) })
    expect(result.seconds).toBeLessThan(15)
  })

  it('is read over TLS where the URL says https', async () => {
    const url = new URL(await http((_, response) => response.end()))
    url.protocol = 'https:'
    expect(await exchange(url, { headers: {} }, 20)).toMatchObject({
      kind: 'none',
      problem: expect.stringContaining('plain http?'),
    })
  })
})
