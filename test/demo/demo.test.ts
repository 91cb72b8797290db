import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { shortId } from '../../demo/short-id.js'
import { ensureBuilt } from '../examples/built.js'
import { start } from '../examples/program.js'

beforeAll(ensureBuilt)

/** The folder for temporary files of one test, which the demo keeps its inbox in. */
let TMPDIR: string
beforeEach(() => {
  TMPDIR = mkdtempSync(join(tmpdir(), 'webhook-inbox-demo-test-'))
})
afterEach(() => rmSync(TMPDIR, { recursive: true, force: true }))

const demo = (args: string[] = [], env: Record<string, string> = {}) =>
  start(process.execPath, ['--import', 'tsx', 'demo/main.ts', ...args], { TMPDIR, ...env })

const rows = (output: string) => output.split('\n').filter((line) => /^ {2}[›✓=·×!] \d\d:/.test(line))

const twice = (text: string) => [text, text]

/** What a step did, and then what came of it in alphabetical order. */
function steps(shown: readonly string[]): string[][] {
  const all: string[][] = []
  for (const row of shown) {
    if (/^[→↳]/.test(row)) {
      all.at(-1)?.push(row)
    } else {
      all.push([row])
    }
  }
  return all.map(([step = '', ...rest]) => [step.trim(), ...rest.sort()])
}

describe('the demo, once', () => {
  it('shows the expected verdict of every delivery and exits 0', async () => {
    const program = demo(['--once'])
    expect(await program.ended).toEqual({ code: 0, signal: null })
    const output = program.output()
    const shown = rows(output).map((row) => row.slice(14, 39).trim().concat(': ', row.slice(52, 68).trim()))
    const settles = [
      '→ transfer.settled: 200 accepted',
      '→ ledger.matched: 200 accepted',
      ...twice('↳ handler: processed'),
    ]
    // What comes of a step comes in any order, so each step is sorted.
    expect(steps(shown)).toEqual(
      [
        ['a transfer settles: 201 pending', ...settles],
        ['it is replayed 10 times:', '→ 10 x transfer.settled: 200 duplicate'],
        ['forged: a byte changed:', '→ unverified: 401 rejected'],
        ['forged: 10 minutes old:', '→ unverified: 401 rejected'],
        ['forged: no signature:', '→ unverified: 401 rejected'],
        ['a transfer fails: 201 pending', '→ transfer.failed: 200 accepted', '↳ handler: processed'],
        [
          'the handler throws once: 201 pending',
          '→ transfer.failed: 200 accepted',
          '↳ handler: failed',
          '↳ handler: processed',
        ],
        [
          'delivered twice: 201 pending',
          ...settles,
          '→ transfer.settled: 200 duplicate',
          '→ ledger.matched: 200 duplicate',
        ],
        ['delivered in reverse: 201 pending', ...settles],
        [
          'the sender contradicts: 201 pending',
          '→ transfer.failed: 200 accepted',
          '↳ handler: processed',
          ...settles,
        ],
        ['the receiver is down: 201 pending', '→ 2 x unread: 503 unavailable', ...settles],
        ['a type without a handler:', '→ evidence.exported: 200 ignored'],
        [
          '20 transfers together: 20 x 201',
          '→ 20 x transfer.settled: 200 accepted',
          '→ 20 x ledger.matched: 200 accepted',
          ...twice('↳ 20 x handler: processed'),
        ],
      ].map(([step = '', ...rest]) => [step, ...rest.sort()]),
    )
    expect(output).toMatch(/deliveries 71, 53 accepted, 12 duplicate, 3 rejected, 2 unavailable, 1 ignored\n/)
    expect(output).toMatch(/events {5}53 acted on, 0 waiting in the inbox\n/)
    expect(output).toMatch('delivered  11 x, acted on 1 x')
    expect(output).toMatch('every event acted on was acted on exactly once')
    expect(output).not.toMatch(/kill -9|process {4}/)
    expect(output).toMatch(/store: sqlite [\s\S]*handlers run from a queue: this process runs 4 at a time/)
    expect(output).not.toMatch('resumed')
    expect(readdirSync(TMPDIR).filter((name) => name.startsWith('webhook-inbox'))).toEqual([])
    expect(output).not.toMatch('\u001b')
    expect(output).not.toMatch(/whsec|expected/)
  })

  it('exits 1 and prints the expected verdict if a verdict is wrong', async () => {
    // The forgery that is signed well, but too old, is signed badly instead.
    const sabotage = `data:text/javascript,${encodeURIComponent(`
      const real = globalThis.fetch
      globalThis.fetch = (input, init) => init?.headers?.['service-signature']
        ? real(input, { ...init, headers: { ...init.headers, 'service-signature': 't=1,v1=' + '0'.repeat(64) } })
        : real(input, init)`)}`
    const program = start(
      process.execPath,
      ['--import', sabotage, '--import', 'tsx', 'demo/main.ts', '--once'],
      { TMPDIR },
    )
    expect(await program.ended).toEqual({ code: 1, signal: null })
    expect(program.output()).toMatch('expected 1 x delivery unverified 401 timestamp_out_of_tolerance')
  })

  it('listens on PORT, and reports if it cannot', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const PORT = String((taken.address() as AddressInfo).port)
    const refused = demo(['--once'], { PORT })
    expect(await refused.ended).toEqual({ code: 1, signal: null })
    expect(refused.output()).toMatch(/^The demo cannot go on: .*EADDRINUSE.*\n$/)

    await new Promise((resolve) => taken.close(resolve))
    const program = demo(['--once'], { PORT })
    expect(await program.ended).toEqual({ code: 0, signal: null })
    expect(program.output()).toMatch(`http://127.0.0.1:${PORT}/webhooks`)
  })
})

describe('the demo, until Ctrl-C', () => {
  const command = /^curl -i [\s\S]*?--data-binary '.*'$/m
  const paste = async (text: string) => (await promisify(execFile)('sh', ['-c', text])).stdout

  const signals = process.env.LONG ? (['SIGINT', 'SIGTERM'] as const) : (['SIGINT'] as const)
  if (!process.env.LONG) {
    console.log('the demo is not ended with SIGTERM: set LONG=1')
  }
  it.each(signals)('ends cleanly on %s with its books closed', async (signal) => {
    const program = demo()
    await program.says(/forged: a byte changed/)
    expect(await program.end(signal)).toEqual({ code: 0, signal: null })
    expect(program.output()).toMatch(/The books[\s\S]*every event acted on was acted on exactly once\n\n$/)
  })

  it('ends cleanly when npm forwards a Ctrl-C that the demo has already received', async () => {
    const program = demo()
    const [, pid] = await program.says(/process +(\d+)/)
    await program.says(/forged: a byte changed/)
    process.kill(Number(pid), 'SIGINT')
    // Not SIGINT again: two equal signals can arrive as one. And not later: a process that has ended everything can be killed.
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(program.output()).toMatch('every event acted on was acted on exactly once')
  })

  it('prints a curl command that is processed, then a duplicate, and rejected after a change', async () => {
    const program = demo()
    const [text] = await program.says(command)
    expect(await paste(text)).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"outcome":"accepted","eventId":"evt_[\w-]+"\}$/,
    )
    expect(await paste(text)).toMatch('{"outcome":"duplicate"')
    expect(await paste(text.replace('mobile_money', 'mobile_monez'))).toMatch(
      '{"outcome":"rejected","code":"signature_mismatch"}',
    )
    await program.says(/yours +\d* *401 rejected/)
    expect(await program.end('SIGINT')).toEqual({ code: 0, signal: null })

    const id = /"id":"(evt_[\w-]+)"/.exec(text)?.[1] ?? ''
    const visits = rows(program.output()).filter((row) => row.includes('yours'))
    expect(visits).toHaveLength(3)
    expect(program.output()).toMatch(
      `${shortId(id).padEnd(12)} transfer.settled   delivered   2 x, acted on 1 x`,
    )
  })

  it('answers 404 on other paths', async () => {
    const program = demo()
    const [, origin] = await program.says(/receiver +(http:\/\/[\d.:]+)\/webhooks/)
    expect((await fetch(`${origin}/`)).status).toBe(404)
    expect(await program.end('SIGINT')).toEqual({ code: 0, signal: null })
  })
})

describe('the demo, killed in the middle', () => {
  const sql = async (text: string): Promise<Record<string, unknown>[]> => {
    const [folder] = readdirSync(TMPDIR).filter((name) => name.startsWith('webhook-inbox-demo-'))
    const { default: Database } = await import('libsql')
    const database = new Database(join(TMPDIR, folder as string, 'inbox.sqlite'))
    try {
      return database.prepare(text).all() as Record<string, unknown>[]
    } finally {
      database.close()
    }
  }

  it('picks up where it left off, with no event lost and none run twice', async () => {
    const first = demo()
    const [, pid] = await first.says(/20 x ledger\.matched.*200 accepted +kill -9 (\d+), then/)
    process.kill(Number(pid), 'SIGKILL')
    expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' })
    const accepted = await sql("SELECT id, state FROM webhook_inbox_events WHERE type NOT LIKE 'evidence%'")
    const waiting = accepted.filter(({ state }) => state === 'accepted' || state === 'failed').length
    expect(waiting).toBeGreaterThan(10)

    const second = demo()
    await second.says(
      new RegExp(`resumed: ${waiting} events waiting, ${accepted.length - waiting} acted on before`),
    )
    const leftOvers = () => second.output().match(/left by the last life +evt_\S+ +processed/g)
    await expect.poll(() => leftOvers()?.length, { timeout: 30_000 }).toBe(waiting)
    expect(await second.end('SIGINT')).toEqual({ code: 0, signal: null })
    expect(second.output()).toMatch('every event acted on was acted on exactly once')

    const entries = await sql('SELECT event_id, count(*) AS n FROM demo_entries GROUP BY event_id')
    expect(entries.filter(({ n }) => Number(n) !== 1)).toEqual([])
    const entered = new Set(entries.map(({ event_id }) => event_id))
    expect(accepted.map(({ id }) => id).filter((id) => !entered.has(id))).toEqual([])
  })

  it('starts over with --fresh', async () => {
    const first = demo()
    await first.says(/↳ handler.*processed/)
    await first.end('SIGKILL')
    const second = demo(['--fresh'])
    await second.says(/a transfer settles/)
    expect(await second.end('SIGINT')).toEqual({ code: 0, signal: null })
    expect(second.output()).not.toMatch('resumed')
    expect(second.output()).toMatch(/events {5}[0-2] acted on/)
  })
})
