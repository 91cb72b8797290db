import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statusLine } from '../src/status-line.js'
import type { Output } from '../src/world.js'
import { webhookInbox } from './in-process.js'

/** A line must appear within this time; a machine under load may draw it late. */
const answerMilliseconds = 2500
const server = createServer((request, response) => {
  request.resume()
  setTimeout(() => response.end('{"kind":"real","now":"2027-01-15T08:00:00Z"}'), answerMilliseconds)
})
let url: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const slowly = (args: readonly string[], columns?: number) =>
  webhookInbox(args, { env: { WEBHOOK_SECRET: 'whsec_slow' }, ...(columns && { columns }) })

const drawn = '\r\u001b[2K'

describe('a command that takes more than a second', () => {
  it.each([
    [['sandbox', 'clock', '--url'], 'waiting for http://127.0.0.1:'],
    [['send', 'transfer.settled', '--to'], 'waiting for 127.0.0.1:'],
    [['check', '--only', 'duplicate'], 'running duplicate ('],
  ])('%j says in a terminal what it waits for, and takes that away', async (args, text) => {
    const { code, stderr } = await slowly([...args, url], 80)
    expect(code).toBe(0)
    expect(stderr).toContain(`${drawn}${text}`)
    expect(stderr).toMatch(/ \([12] s\)/)
    expect(stderr.endsWith(drawn)).toBe(true)
  })

  it('keeps the line within a narrow terminal', async () => {
    const { stderr } = await slowly(['sandbox', 'clock', '--url', url], 20)
    expect(stderr).toContain(`${drawn}waiting for http://${drawn}`)
  })

  it('says nothing in a pipe', async () => {
    expect((await slowly(['sandbox', 'clock', '--url', url])).stderr).toBe('')
  })
})

it('counts the second of each step anew, but not of each number in it', async () => {
  const written: { readonly text: string; readonly at: number }[] = []
  let noteDrawn: () => void
  const screen = new Writable({
    write(chunk, _encoding, done) {
      written.push({ text: String(chunk), at: performance.now() })
      noteDrawn?.()
      done()
    },
  })
  const line = statusLine(Object.assign(screen, { isTTY: true, columns: 80 }) as unknown as Output)
  // The timer of the line does not keep a process alive.
  const alive = setInterval(() => {}, 1000)
  const drawn = () => new Promise<void>((resolve) => (noteDrawn = resolve))
  try {
    line.show('loading the module')
    await drawn()
    const begun = performance.now()
    line.show('looking through the inbox: 0 events')
    expect(written.at(-1)?.text).toBe('\r\u001b[2K')
    line.show('looking through the inbox: 1,000 events')
    await drawn()
    const { text, at } = written.at(-1) as (typeof written)[number]
    expect(text).toContain('looking through the inbox: 1,000 events (1 s)')
    expect(at - begun).toBeGreaterThanOrEqual(1000)
    line.show('looking through the inbox: 2,000 events')
    await drawn()
    expect(written.at(-1)?.text).toMatch(/2,000 events \([1-9]\d* s\)$/)
  } finally {
    line.show(undefined)
    clearInterval(alive)
  }
})
