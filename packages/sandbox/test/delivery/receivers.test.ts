import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Attempt, attemptsOf } from '../../src/delivery/attempts.js'
import { type Delivery, listDeliveries } from '../../src/delivery/deliveries.js'
import { deliveryRig, type RigOptions, receiver, settled } from './rig.js'

/** A server that speaks as it likes once a request has begun to arrive. */
async function rawReceiver(speak: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => speak(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) {
      socket.destroy()
    }
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

interface Judged {
  readonly attempt: Attempt
  readonly delivery: Delivery
  readonly milliseconds: number
}

/** Makes one attempt at this URL. */
async function attemptAt(url: string, options: RigOptions = {}): Promise<Judged> {
  const rig = deliveryRig({ retrySeconds: [3600], ...options })
  rig.subscribe({ url, events: ['*'] })
  const startedAt = performance.now()
  rig.record(settled())
  await rig.courier.idle()
  const milliseconds = performance.now() - startedAt
  const delivery = listDeliveries(rig.database, { limit: 1 })[0] as Delivery
  return { attempt: attemptsOf(rig.database, delivery)[0] as Attempt, delivery, milliseconds }
}

describe('a receiver that', () => {
  it('never answers costs one timeout', async () => {
    const url = await rawReceiver(() => {})
    const { attempt, delivery, milliseconds } = await attemptAt(url, { timeoutSeconds: 0.3 })
    expect(attempt.failure).toMatchObject({ kind: 'timeout' })
    expect(attempt.response).toBeUndefined()
    expect(delivery.state).toBe('pending')
    expect(milliseconds).toBeGreaterThan(290)
    expect(milliseconds).toBeLessThan(5000)
  })

  it('answers too slowly costs one timeout, and the received part of the response is kept', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    const { attempt, delivery, milliseconds } = await attemptAt(url, { timeoutSeconds: 0.3 })
    expect(attempt.failure).toMatchObject({ kind: 'timeout' })
    expect(attempt.response).toMatchObject({ status: 200, isTruncated: false })
    expect(String(attempt.response?.body)).toMatch(/^x+$/)
    expect(delivery.state).toBe('pending')
    expect(milliseconds).toBeLessThan(5000)
  })

  it('sends headers without end costs at most the timeout', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x: y\r\n'), 5)
      socket.on('close', () => clearInterval(timer))
    })
    const { attempt } = await attemptAt(url, { timeoutSeconds: 0.3 })
    expect(attempt.failure).toMatchObject({ kind: 'timeout' })
  })

  it('answers within the timeout is acknowledged', async () => {
    const { url } = await receiver((response) => setTimeout(() => response.end('ok'), 100))
    const { attempt, delivery } = await attemptAt(url, { timeoutSeconds: 10 })
    expect(delivery.state).toBe('delivered')
    expect(attempt.timings.answered).toBeGreaterThan(90)
  })

  it('resets the connection is reported as a reset', async () => {
    const url = await rawReceiver((socket) => socket.resetAndDestroy())
    const { attempt } = await attemptAt(url)
    expect(attempt.failure).toMatchObject({ kind: 'reset', code: 'ECONNRESET' })
  })

  it('closes the connection without a response is a reset', async () => {
    const url = await rawReceiver((socket) => socket.end())
    const { attempt } = await attemptAt(url)
    expect(attempt.failure).toMatchObject({ kind: 'reset' })
  })

  it('closes the connection within its response has not acknowledged', async () => {
    const url = await rawReceiver((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
    )
    const { attempt, delivery } = await attemptAt(url)
    expect(attempt.failure).toMatchObject({ kind: 'reset' })
    expect(attempt.response).toMatchObject({ status: 200, body: Buffer.from('half') })
    expect(delivery.state).toBe('pending')
  })

  it('sends a body without end is cut off after 64 KiB, and its status counts', async () => {
    const piece = Buffer.alloc(16 * 1024, 'x')
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const pour = () => {
        while (socket.writable && socket.write(piece)) {}
      }
      socket.on('drain', pour)
      pour()
    })
    const { attempt, delivery, milliseconds } = await attemptAt(url)
    expect(attempt.response).toMatchObject({ status: 200, isTruncated: true })
    expect(attempt.response?.body).toHaveLength(64 * 1024)
    expect(delivery.state).toBe('delivered')
    expect(milliseconds).toBeLessThan(5000)
  })

  it('sends 64 KiB exactly is kept whole', async () => {
    const { url } = await receiver((response) => response.end(Buffer.alloc(64 * 1024, 'x')))
    const { attempt } = await attemptAt(url)
    expect(attempt.response).toMatchObject({ isTruncated: false })
    expect(attempt.response?.body).toHaveLength(64 * 1024)
  })

  it('sends 64 KiB of headers has not answered', async () => {
    const url = await rawReceiver((socket) => {
      socket.end(`HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(64 * 1024)}\r\n\r\n`)
    })
    const { attempt, delivery } = await attemptAt(url)
    expect(attempt.failure).toMatchObject({ kind: 'invalid_answer', code: 'HPE_HEADER_OVERFLOW' })
    expect(delivery.state).toBe('pending')
  })

  it('does not speak HTTP has not answered', async () => {
    const url = await rawReceiver((socket) => socket.end('220 mail.example ESMTP\r\n'))
    const { attempt } = await attemptAt(url)
    expect(attempt.failure).toMatchObject({ kind: 'invalid_answer' })
  })

  it('switches protocols has not answered', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
    })
    const { attempt, delivery } = await attemptAt(url, { timeoutSeconds: 30 })
    expect(attempt.failure).toEqual({
      kind: 'reset',
      code: 'ECONNRESET',
      message: expect.stringMatching(/\S/),
    })
    expect(delivery.state).toBe('pending')
  })

  it('does not listen is reported as connection refused', async () => {
    const { url, server } = await receiver()
    await new Promise((resolve) => server.close(resolve))
    const { attempt } = await attemptAt(url)
    expect(attempt.failure).toMatchObject({ kind: 'refused', code: 'ECONNREFUSED' })
  })

  it('has an untrusted certificate gets no request', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost']
    execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    let requests = 0
    const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
      requests++
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.close()
    })
    const { attempt } = await attemptAt(`https://localhost:${(server.address() as AddressInfo).port}/`)
    expect(attempt.failure).toMatchObject({ kind: 'certificate', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(requests).toBe(0)
  })

  it('does not speak TLS at an https: URL is reported as a TLS failure', async () => {
    const url = await rawReceiver((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const { attempt } = await attemptAt(url.replace('http:', 'https:'))
    expect(attempt.failure).toMatchObject({ kind: 'tls' })
  })

  it('has no address is reported as not resolved', async () => {
    const { attempt } = await attemptAt('https://does-not-exist.invalid/')
    expect(attempt.failure).toMatchObject({ kind: 'name_not_resolved' })
  })
})

describe('the verdict of a receiver', () => {
  it.each([
    ['{"outcome":"failed","code":"handler_failed"}', 'failed', 'handler_failed'],
    ['{"outcome":"duplicate","eventId":"evt_1"}', 'duplicate', undefined],
    ['{"outcome":"failed","code":"<script>"}', 'failed', undefined],
    ['{"outcome":"failed"}'.padEnd(4096), 'failed', undefined],
    ['{"outcome":"failed"}'.padEnd(4097), undefined, undefined],
    [`{"outcome":"${'x'.repeat(64)}"}`, 'x'.repeat(64), undefined],
    [`{"outcome":"${'x'.repeat(65)}"}`, undefined, undefined],
    ['{"code":"handler_failed"}', undefined, undefined],
    ['{"outcome":"Failed"}', undefined, undefined],
    ['{"outcome":""}', undefined, undefined],
    ['{"outcome":"<script>"}', undefined, undefined],
    ['{"outcome":7}', undefined, undefined],
    ['null', undefined, undefined],
    ['[1]', undefined, undefined],
    ['{"outcome":', undefined, undefined],
    ['', undefined, undefined],
  ])('is read from %s', async (body, outcome, code) => {
    const { url } = await receiver((response) => response.end(body))
    const { attempt } = await attemptAt(url)
    expect({ outcome: attempt.outcome, code: attempt.code }).toEqual({ outcome, code })
  })
})
