import { createServer as createSocketServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { webhookInbox } from '../in-process.js'
import { closedPort, http, portOf, pour, selfSigned, trickle } from '../servers.js'
import { secret } from './receiver-by-hand.js'

const check = (url: string, ...args: string[]) =>
  webhookInbox(['check', url, ...args], { env: { WEBHOOK_SECRET: secret } })

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
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('no response within 0.5 s') })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  it('a response begins and never ends', async () => {
    const url = await http(trickle)
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

  it('the URL is https but the port speaks http', async () => {
    const url = await http((_request, response) => response.end())
    const { code, stderr } = await check(url.replace('http:', 'https:'))
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('speak plain http?') })
  })

  it('the certificate is self-signed', async () => {
    const { code, stderr } = await check(await selfSigned())
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('is self-signed') })
  })
})

describe('check withstands', () => {
  it('a response that is sent without end as fast as possible', async () => {
    const url = await http(pour)
    const before = process.memoryUsage().rss
    const { code, stdout } = await check(url, '--only', 'valid-camel-case', '--only', 'answer-size')
    expect(code).toBe(0)
    expect(stdout).toContain('a response was longer than 64 KiB')
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
    expect(stdout).toMatch(/senders do not follow\s+redirects/)
  })

  it('an endpoint that stops answering, without a timeout for each remaining case', async () => {
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
