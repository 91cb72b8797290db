import { writeFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import Libsql from 'libsql'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/database/open.js'
import { createSandbox } from '../../src/index.js'
import { readFlags } from '../../src/program/program-flags.js'
import { runSandbox } from '../../src/program/run.js'
import { copySubscription } from '../delivery/rig.js'
import { startTestSandbox, stateFile } from '../rig.js'

test('an error of the sandbox itself goes to stderr with its stack', async () => {
  const state = stateFile()
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const texts = { stdout: '', stderr: '' }
  stdout.on('data', (chunk) => {
    texts.stdout += chunk
  })
  stderr.on('data', (chunk) => {
    texts.stderr += chunk
  })
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const exited = runSandbox(['--port', '0', '--state', state], { stdout, stderr, ended: () => ended })
  onTestFinished(async () => {
    end()
    await exited
  })
  await vi.waitFor(() => expect(texts.stdout).toContain('/v1'), 10_000)
  const other = new Libsql(state)
  other.exec('ALTER TABLE wallets RENAME TO elsewhere')
  other.close()
  const [url] = /http:\S+(?=\/v1)/.exec(texts.stdout) ?? []
  const headers = { Authorization: 'Bearer sk_sandbox_local' }
  expect((await fetch(`${url}/v1/wallets`, { headers })).status).toBe(500)
  await vi.waitFor(
    () => expect(texts.stderr).toMatch(/^\w*Error: no such table: wallets\n {4}at .+\n/i),
    10_000,
  )
})

test('a state file that another sandbox has is rejected, until that one is closed', async () => {
  const state = stateFile()
  const first = await startTestSandbox({ state })
  const second = await createSandbox({ port: 0, state }).catch((error: unknown) => error)
  expect(second).toMatchObject({
    name: 'OptionError',
    option: 'state',
    message: 'state is in use by another sandbox: stop that one, or name another file',
  })
  await first.close()
  await startTestSandbox({ state })
})

test('a file that is no database is rejected with the words of the database', async () => {
  const state = stateFile()
  writeFileSync(state, 'no database, but a text that is long enough'.repeat(50))
  const failure = await createSandbox({ port: 0, state }).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    option: 'state',
    message: expect.stringMatching(/^state cannot be used: \S/),
  })
  // It is left unlocked.
  writeFileSync(state, '')
  await startTestSandbox({ state })
})

test('a state file of a newer version says which', async () => {
  const state = stateFile()
  const database = openDatabase(state)
  database.exec('PRAGMA user_version = 99')
  database.close()
  const failure = await createSandbox({ port: 0, state }).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    message:
      'state cannot be used: The state file is of a newer version of the sandbox (99, this one knows 1).',
  })
})

test('a receiver to forward to that cannot be subscribed is rejected by its option', async () => {
  const state = stateFile()
  const first = await startTestSandbox({ state })
  await first.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
  await first.close()
  const database = openDatabase(state)
  copySubscription(database, 9999)
  database.close()
  const forwardTo = ['http://127.0.0.1:10/']
  const failure = await createSandbox({ port: 0, state, forwardTo }).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    option: 'forwardTo',
    message: 'forwardTo at most 10000 subscriptions exist at a time; delete one first',
  })
})

test('an address that the sandbox may not send to is rejected by its option', async () => {
  const failure = await createSandbox({ port: 0, forwardTo: ['http://10.0.0.1/'] }).catch((error) => error)
  expect(failure).toMatchObject({
    option: 'forwardTo',
    message: 'forwardTo 10.0.0.1 is not on this machine, and http: is for loopback only',
  })
})

test('a receiver to forward to is subscribed once, also after a restart', async () => {
  const [state, forwardTo] = [stateFile(), ['http://127.0.0.1:9/', 'http://127.0.0.1:10']]
  const first = await startTestSandbox({ state, forwardTo })
  const forwarding = first.forwarding
  expect(forwarding).toEqual(
    ['http://127.0.0.1:9/', 'http://127.0.0.1:10/'].map((url) => ({
      url,
      id: expect.stringMatching(/^whe_/),
      secret: expect.stringMatching(/^whsec_local_/),
      isSecretMade: true,
    })),
  )
  await first.close()
  const second = await startTestSandbox({ state, forwardTo })
  expect(second.forwarding).toEqual(forwarding)
  expect((await second.get('/v1/webhook-subscriptions')).body.data).toHaveLength(2)
  const own = await startTestSandbox({ forwardTo, secret: 'whsec_mine' })
  expect(own.forwarding.map(({ isSecretMade }) => isSecretMade)).toEqual([false, false])
})

test('flags read the files that they name', () => {
  const file = stateFile()
  writeFileSync(file, JSON.stringify({ processing: ['failed'] }))
  expect(readFlags([`--transitions=${file}`]).options.transitions.processing).toEqual(['failed'])
  writeFileSync(file, JSON.stringify({ key: 'hex' }))
  expect(readFlags([`--scheme=${file}`]).options.scheme).toEqual({ key: 'hex' })
})

test('a wrong value of an option of the program is named by its flag', async () => {
  const stderr = new PassThrough()
  let text = ''
  stderr.on('data', (chunk) => {
    text += chunk
  })
  const world = { stdout: new PassThrough(), stderr, ended: () => Promise.resolve() }
  const flags: readonly [flag: string, message: string][] = [
    ['--rate=0', '--rate must be 1 to 86400'],
    ['--timeout=x', '--timeout must be 0.001 to 86400 seconds'],
    [
      '--transitions=nowhere.json',
      '--transitions must name states that follow pending, pending_approval or processing',
    ],
    ['--api-key=sk_sandbox_readonly', '--api-key must be visible ASCII other than sk_sandbox_readonly'],
  ]
  for (const [flag, message] of flags) {
    text = ''
    expect(await runSandbox([flag], world)).toBe(2)
    expect(text).toBe(`sandbox: ${message}\n`)
  }
})
