import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { webhookInbox } from '../in-process.js'
import { secret } from './receiver-by-hand.js'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) {
      ;(server.closeAllConnections as () => void)()
    }
    server.close()
  }
})

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  return (server.address() as AddressInfo).port
}

const http = async (listener: RequestListener) =>
  `http://127.0.0.1:${await portOf(createHttpServer(listener))}/webhooks`

const check = (url: string, ...args: string[]) =>
  webhookInbox(['check', url, ...args], { env: { WEBHOOK_SECRET: secret } })

/** A port that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createSocketServer()
  const port = await portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('check exits with 3 and plain words where', () => {
  it('nothing listens', async () => {
    const port = await closedPort()
    const { code, stderr } = await check(`http://127.0.0.1:${port}/`)
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining(`nothing listens at 127.0.0.1:${port}; start the receiver`),
    })
  })

  it('the server accepts and never answers, within the timeout', async () => {
    const url = await http(() => {})
    const startedAt = performance.now()
    const { code, stderr } = await check(url, '--timeout', '0.5s')
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('no answer within 0.5 s') })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  it('an answer begins and never ends', async () => {
    const url = await http((_request, response) => {
      response.write('x')
      const timer = setInterval(() => response.write('x'), 50)
      response.once('close', () => clearInterval(timer))
    })
    const { code, stderr } = await check(url, '--timeout', '0.5s')
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('did not end within 0.5 s') })
  })

  it('the port speaks another protocol', async () => {
    const port = await portOf(
      createSocketServer((socket) => socket.on('error', () => {}).end('220 mail ready\r\n')),
    )
    const { code, stderr } = await check(`http://127.0.0.1:${port}/`)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('is not HTTP') })
  })

  it('https is asked of a port that speaks http', async () => {
    const url = await http((_request, response) => response.end())
    const { code, stderr } = await check(url.replace('http:', 'https:'))
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('speak plain http?') })
  })

  it('the certificate is self-signed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'check-tls-'))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=127.0.0.1', '-days', '1']
    execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    const files = { key: readFileSync(key), cert: readFileSync(cert) }
    rmSync(folder, { recursive: true })
    const port = await portOf(createTlsServer(files, (_request, response) => response.end()))
    const { code, stderr } = await check(`https://127.0.0.1:${port}/`)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('is self-signed') })
  })
})

describe('check withstands', () => {
  it('an answer that is sent without end as fast as possible', async () => {
    const url = await http((request, response) => {
      request.resume()
      const chunk = Buffer.alloc(65_536, 'x')
      const pour = () => {
        while (!response.destroyed && response.write(chunk)) {}
        if (!response.destroyed) {
          response.once('drain', pour)
        }
      }
      pour()
    })
    const before = process.memoryUsage().rss
    const { code, stdout } = await check(url, '--only', 'valid-camel-case', '--only', 'answer-size')
    expect(code).toBe(0)
    expect(stdout).toContain('an answer was longer than 64 KiB')
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  })

  it('a redirect, which it does not follow', async () => {
    let followed = 0
    const url = await http((request, response) => {
      request.resume()
      if (request.url === '/elsewhere') {
        followed++
      }
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    const { code, stdout } = await check(url, '--only', 'valid-camel-case')
    expect([code, followed]).toEqual([1, 0])
    expect(stdout).toMatch(/received +307 to \/elsewhere/)
    expect(stdout).toContain('senders do not follow redirects')
  })

  it('an endpoint that stops answering on the way, without a timeout for each case left', async () => {
    let deliveries = 0
    const url = await http((request, response) => {
      if (++deliveries > 3) {
        return
      }
      request.resume().once('end', () => response.end())
    })
    const startedAt = performance.now()
    const { code, stdout } = await check(url, '--timeout', '0.5s', '--only', 'accepts')
    expect(code).toBe(1)
    expect(stdout).toContain('the endpoint stopped answering after')
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })
})
