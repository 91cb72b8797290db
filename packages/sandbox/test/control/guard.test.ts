import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startTestSandbox } from '../rig.js'

/** `fetch` sets Host and Origin itself, so these go through node:http. */
function send(url: string, path: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, path, method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    call.on('error', reject)
    call.end()
  })
}

describe('DNS rebinding: a page that pointed its own name at this machine is rejected', () => {
  test.each(['/_sandbox/config', '/_inspector/', '/openapi.json', '/v1/wallets'])('at %s', async (path) => {
    const sandbox = await startTestSandbox()
    const { port } = new URL(sandbox.url)
    for (const host of [
      'evil.test',
      `evil.test:${port}`,
      `127.0.0.1.evil.test:${port}`,
      '127.0.0.1',
      '127.0.0.1:1',
    ]) {
      expect([host, await send(sandbox.url, path, { host })]).toEqual([host, 421])
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
      expect(await send(sandbox.url, path, { host })).not.toBe(421)
    }
  })
})

describe('CSRF: a page of another origin is rejected', () => {
  test.each([
    ['another site', () => 'https://evil.test'],
    ['another port of loopback', (port: string) => `http://127.0.0.1:${Number(port) + 1}`],
    ['another name of loopback than the Host', (port: string) => `http://localhost:${port}`],
    ['https on the same port', (port: string) => `https://127.0.0.1:${port}`],
    ['another scheme on the same port', (port: string) => `xhttp://127.0.0.1:${port}`],
    ['null, as a sandboxed frame sends it', () => 'null'],
    ['an empty one', () => ''],
  ])('%s', async (_, originFor) => {
    const sandbox = await startTestSandbox()
    const { host, port } = new URL(sandbox.url)
    const origin = originFor(port)
    expect(await send(sandbox.url, '/_sandbox/reset', { host, origin }, 'POST')).toBe(403)
    expect(await send(sandbox.url, '/_sandbox/config', { host, origin })).toBe(403)
  })

  test('and its own page is not', async () => {
    const sandbox = await startTestSandbox()
    const { host, origin } = new URL(sandbox.url)
    expect(await send(sandbox.url, '/_sandbox/config', { host, origin })).toBe(200)
    expect(await send(sandbox.url, '/_sandbox/reset', { host, origin }, 'POST')).toBe(204)
  })

  test('through sandbox.fetch too, which needs no Host', async () => {
    const sandbox = await startTestSandbox()
    const config = async (origin: string) => {
      const request = new Request('http://sandbox.test/_sandbox/config', { headers: { origin } })
      return (await sandbox.fetch(request)).status
    }
    const own = new URL(sandbox.url)
    expect(await config(own.origin)).toBe(200)
    expect(await config(`http://localhost:${own.port}`)).toBe(200)
    const elsewhere = ['http://evil.test', `http://evil.test:${own.port}`, `https://${own.host}`, 'null', '']
    for (const origin of elsewhere) {
      expect([origin, await config(origin)]).toEqual([origin, 403])
    }
  })

  test('and no response permits another origin to read it', async () => {
    const sandbox = await startTestSandbox()
    const { headers } = await sandbox.get('/_sandbox/config')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })
})
