import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { root, runnable } from './documents.js'

const run = promisify(execFile)

/** Writes a program to its own folder below the repository, so that it finds the installed packages. */
function programFile(code: string): { folder: string; path: string } {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'program.mts')
  writeFileSync(path, code)
  return { folder, path }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

/** Starts a program that listens on PORT. Resolves when the port answers. */
async function serve(code: string): Promise<number> {
  const { folder, path } = programFile(code)
  const port = await freePort()
  const child = spawn(process.execPath, ['--import', 'tsx', path], {
    cwd: folder,
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: 'whsec_local_0123456789' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  for (;;) {
    if (child.exitCode !== null) {
      throw new Error('the program of the document ended')
    }
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
    if (isUp) {
      return port
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function shell(script: string, port: number): Promise<unknown> {
  const { stdout } = await run('bash', ['-c', script], { env: { ...process.env, PORT: String(port) } })
  return JSON.parse(stdout)
}

test.each([['README.md'], ['docs/getting-started.md']])(
  'the server of %s takes the event that its curl sends, once',
  async (document) => {
    const port = await serve(runnable(document, 'server'))
    const send = runnable(document, 'send')
    expect(await shell(send, port)).toEqual({ outcome: 'processed', eventId: 'evt_1' })
    expect(await shell(send, port)).toEqual({ outcome: 'duplicate', eventId: 'evt_1' })
    expect(await shell(send.replace('--data-binary "$body"', '--data-binary "$body "'), port)).toEqual({
      outcome: 'rejected',
      code: 'signature_mismatch',
    })
  },
)

test('the states of docs/order.md on SQLite move forward only, and take the same step again', async () => {
  const steps = `
    const from = { settled: ['pending'], failed: ['pending'] }
    for (const [to, eventId] of [['pending', 'evt_1'], ['settled', 'evt_2'], ['failed', 'evt_3'], ['settled', 'evt_2']]) {
      console.log(await transferStates.advance({ resource: 'tr_1', to, eventId, from: from[to] ?? [] }, undefined))
    }
    console.log(await transferStates.current('tr_1', undefined), await transferStates.current('tr_2', undefined))`
  const { folder, path } = programFile(runnable('docs/order.md', 'sqlite-states') + steps)
  const { stdout } = await run(process.execPath, ['--import', 'tsx', path], { cwd: folder })
  expect(stdout).toBe('true\ntrue\nfalse\ntrue\nsettled undefined\n')
})

test.each([
  ['docs/testing.md', 'testing'],
  ['docs/testing.md', 'clock'],
  ['docs/testing.md', 'durable'],
  ['docs/order.md', 'ordered'],
])('the program of %s prints what its comments say', async (document, name) => {
  const code = runnable(document, name)
  const { folder, path } = programFile(code)
  const { stdout } = await run(process.execPath, ['--import', 'tsx', path], { cwd: folder })
  const promised = [...code.matchAll(/console\.log\(.*\/\/ (.+)$/gm)].map((match) => match[1] as string)
  const printed = stdout.trim().split('\n')
  expect(printed.length).toBeGreaterThan(0)
  for (const [at, line] of printed.entries()) {
    expect(promised[at]?.replaceAll("'", '').split(':')[0]).toBe(line)
  }
})
