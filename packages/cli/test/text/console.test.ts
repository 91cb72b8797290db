import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { userInfo } from 'node:os'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { serveConsole } from '../../src/console/serve-console.js'
import { userName } from '../../src/user-name.js'
import { webhookInbox } from '../in-process.js'
import { openRig, type Rig } from '../inbox/rig.js'

let rig: Rig
beforeAll(async () => {
  delete process.env.IS_WELL
  rig = await openRig('receiver.ts')
})
afterAll(() => rig?.close())

const serve = async (settings: Partial<Parameters<typeof serveConsole>[1]> = {}) => {
  const served = await serveConsole(rig.running, { port: 0, ...settings })
  onTestFinished(() => served.close())
  return served
}

const statusOf = (url: string, host?: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, host === undefined ? {} : { headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })

describe('the console', () => {
  it('is served at an address that cannot be guessed', async () => {
    const { url } = await serve({ actor: 'operator' })
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/)
    expect((await serve()).url.slice(-34)).not.toBe(url.slice(-34))
    const page = await fetch(url)
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('<title>Inbox console</title>'),
    ])
    const { origin } = new URL(url)
    for (const path of ['/', '/api/me', `/${'x'.repeat(32)}/api/me`]) {
      expect([path, await statusOf(origin + path)]).toEqual([path, 404])
    }
  })

  it('knows who acts, where, and with what right', async () => {
    const me = async (settings: object) => (await fetch(`${(await serve(settings)).url}api/me`)).json()
    expect(await me({ actor: 'operator', environment: 'live' })).toMatchObject({
      actor: 'operator',
      environment: 'live',
      isReadOnly: false,
    })
    expect(await me({ isReadOnly: true })).toMatchObject({ isReadOnly: true })
    const plain = await me({})
    expect(plain).toMatchObject({ actor: userInfo().username, isReadOnly: false })
    expect(plain.environment).toBeFalsy()
    expect(userName()).toBe(userInfo().username)
  })

  it('answers only to the names of this machine', async () => {
    const { url } = await serve()
    const { port } = new URL(url)
    for (const [host, status] of [
      [`127.0.0.1:${port}`, 200],
      [`localhost:${port}`, 200],
      [`rebound.example:${port}`, 421],
      ['127.0.0.1:1', 421],
      ['127.0.0.1', 421],
      ['localhost', 421],
    ] as const) {
      expect([host, await statusOf(`${url}api/me`, host)]).toEqual([host, status])
    }
  })

  it('says that its port is in use', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    await expect(serveConsole(rig.running, { port })).rejects.toEqual(
      expect.objectContaining({ name: 'UsageError', message: `port ${port} is in use` }),
    )
    await expect(serveConsole(rig.running, { port: 65_536 })).rejects.toMatchObject({
      code: 'ERR_SOCKET_BAD_PORT',
    })
  })

  it('ends although a page keeps a connection open', async () => {
    const { url, close } = await serveConsole(rig.running, { port: 0 })
    const stream = await fetch(`${url}api/stream`)
    expect(stream.status).toBe(200)
    await close()
    expect(await statusOf(url).catch(({ code }) => code)).toBe('ECONNREFUSED')
  })
})

describe('webhook-inbox console', () => {
  /** Runs the command until it has printed its address. */
  async function ran(args: readonly string[], columns?: number) {
    const ending = new AbortController()
    const written: string[] = []
    const printed = webhookInbox(['console', '-r', rig.module, ...args], {
      env: { ...(process.env as Record<string, string>), NO_COLOR: '1' },
      signal: ending.signal,
      written,
      ...(columns && { columns }),
    })
    while (!written.join('').includes('Ctrl-C')) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const [url = ''] = /http:[^"\n]+/.exec(written.join('')) ?? []
    const me = await (await fetch(`${url}api/me`)).json()
    ending.abort()
    const { code, stdout, stderr } = await printed
    return { url, me, code, stdout, stderr, after: await statusOf(url).catch((error) => error.code) }
  }

  it('prints its address until Ctrl-C', async () => {
    const { url, me, ...rest } = await ran(['--actor', 'operator', '--environment', 'live'])
    expect(rest).toEqual({
      code: 0,
      stdout: `${url}\n`,
      stderr: 'Keep this address to yourself: whoever has it may act as you. Ctrl-C ends it.\n',
      after: 'ECONNREFUSED',
    })
    expect(me).toMatchObject({ actor: 'operator', environment: 'live', isReadOnly: false })
  })

  it('prints its address as JSON', async () => {
    const { url, me, stdout } = await ran(['--json', '--read-only'])
    expect(stdout).toBe(`${JSON.stringify({ url })}\n`)
    expect(me).toMatchObject({ isReadOnly: true })
  })

  it('ends immediately where Ctrl-C came before', async () => {
    const { code } = await webhookInbox(['console', '-r', rig.module], {
      env: process.env as Record<string, string>,
      signal: AbortSignal.abort(),
    })
    expect(code).toBe(0)
  })

  it('takes a whole number for its port', async () => {
    const { code, stderr } = await webhookInbox(['console', '-r', rig.module, '--port', 'x'])
    expect([code, stderr]).toEqual([
      2,
      'webhook-inbox: --port must be a whole number of at least 0\nSee webhook-inbox console --help.\n',
    ])
  })
})
