import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Call, type Entry, isGroup } from '../../src/command.js'
import { commands } from '../../src/commands.js'
import { parseOptions } from '../../src/parse-options.js'
import type { Printer } from '../../src/printer.js'
import { statusLine } from '../../src/status-line.js'
import type { Output, World } from '../../src/world.js'
import { openRig, type Rig } from '../inbox/rig.js'
import { http } from '../servers.js'

let folder: string
let rig: Rig
beforeAll(async () => {
  delete process.env.IS_WELL
  folder = await mkdtemp(join(tmpdir(), 'working-'))
  rig = await openRig('receiver.ts')
})
afterAll(async () => {
  await rig?.close()
  await rm(folder, { recursive: true })
})

const env = { WEBHOOK_SECRET: 'whsec_of_the_status_line' }

/** What the status line of a command says, one after the other. A quick command ends before a person sees it. */
async function saidBy(args: readonly string[], stdin = ''): Promise<(string | undefined)[]> {
  const said: (string | undefined)[] = []
  const print: Printer = {
    line() {},
    json() {},
    note() {},
    warn() {},
    working: (text) => void said.push(text),
    style: (_, text) => text,
    hide() {},
    width: 80,
    isTerminal: false,
  }
  const [name = '', second = ''] = args
  const found = commands[name] as Entry
  const [entry, rest] = isGroup(found)
    ? [found.commands[second] as Entry, args.slice(2)]
    : [found, args.slice(1)]
  const command = await entry.load()
  const { values, positionals } = parseOptions(rest, command, name)
  const world: World = {
    env,
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    now: () => Math.floor(Date.now() / 1000),
    interrupted: () => AbortSignal.abort(),
  }
  await command.run({ values, positionals, json: false, print, world } as Call)
  return said
}

describe('the status line says', () => {
  it('what sign reads', async () => {
    const path = join(folder, 'event.json')
    await writeFile(path, '{}')
    expect(await saidBy(['sign', path])).toEqual([`reading ${path}`])
    expect(await saidBy(['sign', '-'])).toEqual(['reading standard input'])
  })

  it('what verify reads and tries', async () => {
    const path = join(folder, 'body.json')
    await writeFile(path, 'x'.repeat(1234))
    const said = await saidBy(['verify', '--body', path, '--header', 't=1,v1=00'])
    expect(said[0]).toBe('reading 1,234 bytes')
    for (const text of said.slice(1)) {
      expect(text).toMatch(/^[\d,]+ combinations tried$/)
    }
  })

  it('for which server send, check and the sandbox wait', async () => {
    const url = await http((request, response) => {
      request.resume().once('end', () => response.end('{"kind":"real","now":"2027-01-15T08:00:00Z"}'))
    })
    const { host, origin } = new URL(url)
    expect(await saidBy(['send', 'a.b', '--to', url])).toEqual([`waiting for ${host}`])
    expect(await saidBy(['check', url, '--only', 'escapes', '--only', 'https'])).toEqual([
      `waiting for ${host}`,
      'running escapes',
      'running https',
    ])
    expect(await saidBy(['sandbox', 'clock', '--url', url])).toEqual([`waiting for ${origin}`])
  })

  it('what inbox loads, waits for and does', async () => {
    const loaded = [`loading ${rig.module}`, 'waiting for the store']
    expect(await saidBy(['inbox', 'health', '-r', rig.module])).toEqual(loaded)
    expect(await saidBy(['inbox', 'list', '-r', rig.module])).toEqual([
      ...loaded,
      'looking through the inbox: 0 events',
    ])
    expect(
      await saidBy(['inbox', 'replay', '--state', 'dead', '--yes', '--reason', 'r', '-r', rig.module]),
    ).toEqual([
      ...loaded,
      'looking through the inbox: 0 events',
      'replaying 1 of 3',
      'replaying 2 of 3',
      'replaying 3 of 3',
    ])
  })

  it('nothing while the console is open', async () => {
    const said = await saidBy(['console', '-r', rig.module])
    expect(said.at(-1)).toBeUndefined()
    expect(said).toHaveLength(3)
  })
})

describe('the status line', () => {
  const clear = '\r\u001b[2K'
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function open(
    given: { readonly isTTY?: boolean; readonly columns?: number } = { isTTY: true, columns: 80 },
  ) {
    const written: string[] = []
    const stream = new Writable({
      write(chunk, _encoding, done) {
        written.push(String(chunk))
        done()
      },
    })
    const line = statusLine(Object.assign(stream, given) as unknown as Output)
    /** What is written meanwhile. */
    const after = (milliseconds: number) => {
      written.length = 0
      vi.advanceTimersByTime(milliseconds)
      return written.slice()
    }
    return { line, after, written }
  }

  it('appears after a second, and is drawn again four times in each', () => {
    const { line, after, written } = open()
    line.show('waiting')
    expect(written).toEqual([])
    expect(after(999)).toEqual([])
    expect(after(1)).toEqual([`${clear}waiting (1 s)`])
    expect(after(1000)).toEqual([...Array(3).fill(`${clear}waiting (1 s)`), `${clear}waiting (2 s)`])
    written.length = 0
    line.show(undefined)
    expect(written).toEqual([clear])
    expect(after(5000)).toEqual([])
  })

  it('appears after a second without other output', () => {
    const { line, after, written } = open()
    line.show('waiting')
    after(900)
    line.clear()
    expect(written).toEqual([])
    expect(after(999)).toEqual([])
    expect(after(101)).toEqual([`${clear}waiting (1 s)`])
    written.length = 0
    line.clear()
    line.clear()
    expect(written).toEqual([clear])
  })

  it('counts each step anew, but not each number in it', () => {
    const { line, after, written } = open()
    line.show('looking: 0 events')
    after(1000)
    line.show('looking: 1,000 events')
    expect(after(250)).toEqual([`${clear}looking: 1,000 events (1 s)`])
    written.length = 0
    line.show('loading')
    expect(written).toEqual([clear])
    expect(after(750)).toEqual([])
    expect(after(250)).toEqual([`${clear}loading (1 s)`])
  })

  it('begins again after its end', () => {
    const { line, after } = open()
    line.show('one')
    line.show(undefined)
    after(3000)
    line.show('two')
    expect(after(750)).toEqual([])
    expect(after(250)).toEqual([`${clear}two (1 s)`])
  })

  it('is cut one column before the width, which is 80 where the terminal says none', () => {
    const cut = (given: object) => {
      const { line, after } = open({ isTTY: true, ...given })
      line.show('x'.repeat(100))
      return after(1000)[0]?.slice(clear.length)
    }
    expect(cut({ columns: 20 })).toBe('x'.repeat(19))
    expect(cut({})).toBe('x'.repeat(79))
  })

  it('is not shown in a pipe', () => {
    const { line, after, written } = open({ columns: 80 })
    line.show('waiting')
    expect(after(5000)).toEqual([])
    line.show(undefined)
    expect(written).toEqual([])
  })
})
