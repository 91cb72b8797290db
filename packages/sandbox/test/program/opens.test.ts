import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openBrowser, runSandbox } from '../../src/program/run.js'

/** A program with this name that notes its arguments, and is the only one there is. */
function onlyProgram(name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'opens-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const opened = join(folder, 'opened')
  writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s|' "$@" > "${opened}"\n`, { mode: 0o755 })
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return () => {
    try {
      return readFileSync(opened, 'utf8')
    } catch {
      return ''
    }
  }
}

/** Acts as if this process ran on another system. */
function on(platform: string) {
  const known = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor
  Object.defineProperty(process, 'platform', { ...known, value: platform })
  onTestFinished(() => void Object.defineProperty(process, 'platform', known))
}

test.runIf(process.platform === 'linux').each([
  ['linux', 'xdg-open', 'http://127.0.0.1:1/|'],
  ['freebsd', 'xdg-open', 'http://127.0.0.1:1/|'],
  ['darwin', 'open', 'http://127.0.0.1:1/|'],
  ['win32', 'cmd', '/c|start||http://127.0.0.1:1/|'],
])('on %s an address is opened with %s', async (platform, name, words) => {
  const opened = onlyProgram(name)
  on(platform)
  openBrowser('http://127.0.0.1:1/')
  await expect.poll(opened, { timeout: 10_000 }).toBe(words)
})

test('without a program that opens addresses nothing happens', async () => {
  vi.stubEnv('PATH', '/nowhere')
  onTestFinished(() => void vi.unstubAllEnvs())
  on('darwin')
  openBrowser('http://127.0.0.1:1/')
  await new Promise((resolve) => setTimeout(resolve, 100))
})

test.runIf(process.platform === 'linux')(
  '--open opens the inspector, and without it nothing is opened',
  async () => {
    const opened = onlyProgram('xdg-open')
    const run = async (args: readonly string[]) => {
      const stdout = new PassThrough()
      let text = ''
      stdout.on('data', (chunk) => {
        text += chunk
      })
      let end = () => {}
      const ended = new Promise<void>((resolve) => {
        end = resolve
      })
      const exited = runSandbox(['--port', '0', ...args], {
        stdout,
        stderr: new PassThrough(),
        ended: () => ended,
      })
      await expect.poll(() => text, { timeout: 10_000 }).toContain('/v1')
      end()
      await exited
      return /http:\S+(?=\/v1)/.exec(text)?.[0]
    }
    await run([])
    expect(opened()).toBe('')
    const url = await run(['--open'])
    await expect.poll(opened, { timeout: 10_000 }).toBe(`${url}/_inspector|`)
  },
)
