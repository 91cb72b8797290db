import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { builtProgram } from './built.js'
import { programs } from './inbox/rig.js'

interface Running {
  readonly child: ChildProcess
  readonly url: string
}

/** Starts `webhook-inbox console` on an inbox of its own; resolves when it has printed its address. */
async function start(...args: string[]): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'console-'))
  const env = { ...process.env, INBOX_DATABASE: join(folder, 'inbox.db') }
  const command = [await builtProgram(), 'console', '--receiver', programs('receiver.mjs'), ...args]
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true })
  })
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    return { child, url: line }
  }
  throw new Error('the program ended before it printed an address')
}

const statusOf = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })

it('serves the page and the inbox, at an address that cannot be guessed', async () => {
  const { url, child } = await start('--actor', 'operator')
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/)
  const page = await fetch(url)
  expect([page.status, await page.text()]).toEqual([
    200,
    expect.stringContaining('<title>Inbox console</title>'),
  ])
  expect(await (await fetch(`${url}api/me`)).json()).toMatchObject({ actor: 'operator', isReadOnly: false })
  expect(await (await fetch(`${url}api/events`)).json()).toEqual({ rows: [] })
  const { origin } = new URL(url)
  for (const path of ['/', '/api/me', '/api/events', `/${'x'.repeat(32)}/api/me`]) {
    expect([path, (await fetch(origin + path)).status]).toEqual([path, 404])
  }
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  expect(await ended).toBe(0)
})

it('rejects a name that was pointed at this machine', async () => {
  const { url } = await start('--read-only')
  const { host, port } = new URL(url)
  expect(await statusOf(`${url}api/me`, host)).toBe(200)
  expect(await statusOf(`${url}api/me`, `localhost:${port}`)).toBe(200)
  expect(await statusOf(`${url}api/me`, `rebound.example:${port}`)).toBe(421)
  const replay = await fetch(`${url}api/events/evt_1/replay`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
    body: '{"reason":"a test"}',
  })
  expect([replay.status, await replay.json()]).toMatchObject([403, { code: 'read_only' }])
})

it('prints its address as JSON', async () => {
  const { url } = await start('--json')
  expect(JSON.parse(url)).toEqual({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/) })
})
