import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { isGroup } from '../src/command.js'
import { commands } from '../src/commands.js'
import { builtProgram } from './built.js'

const run = promisify(execFile)
const node = process.execPath
let program: string
beforeAll(async () => {
  program = await builtProgram()
})

/** Every command. `LONG=1` adds the other commands of each group, which load the same modules as its first. */
const named = Object.entries(commands).flatMap(([name, entry]) => {
  const inner = isGroup(entry) ? Object.keys(entry.commands) : []
  const chosen = process.env.LONG ? inner : inner.slice(0, 1)
  return isGroup(entry) ? chosen.map((each) => [name, each]) : [[name]]
})
if (!process.env.LONG) {
  console.log('the processor time of one command of each group is measured: set LONG=1 for all')
}

describe('the process', () => {
  it.each([[], ...named])(
    'takes at most three times the processor time of bare Node for the help of %s %s',
    async (...words) => {
      const bare = await leastProcessorTime(['-e', '0'])
      const help = await leastProcessorTime([program, ...words, '--help'])
      expect(help / bare).toBeLessThan(3)
    },
  )

  it('shows no secret in its process title', async () => {
    const child = spawn(node, [program, 'sign', '-', '--secret', 'whsec_seen_in_ps'])
    try {
      // The warning comes after the title was set; the command then waits for standard input.
      const [warning] = await once(child.stderr, 'data')
      expect(String(warning)).toContain('visible in ps')
      const { stdout } = await run('ps', ['-ww', '-o', 'args=', '-p', String(child.pid)])
      expect(stdout).toContain('webhook-inbox')
      expect(stdout).not.toContain('seen_in_ps')
      if (process.platform === 'linux') {
        expect(await readFile(`/proc/${child.pid}/cmdline`, 'latin1')).not.toContain('seen_in_ps')
      }
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('exits without an error if the reader of its output exits first', async () => {
    const child = spawn(node, [program, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const [[status], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)])
    expect({ status, stderr }).toEqual({ status: 141, stderr: '' })
  })

  it('ends at Ctrl-C while it waits for standard input', async () => {
    const child = spawn(node, [program, 'sign', '-', '--secret', 'whsec_interrupted'])
    await once(child.stderr, 'data')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([null, 'SIGINT'])
  })

  it('names the fix for a module that listens on a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const folder = mkdtempSync(join(tmpdir(), 'webhook-inbox-cli-port-'))
    try {
      const file = fileURLToPath(new URL('programs/listening.mjs', import.meta.url))
      const env = { ...process.env, TAKEN_PORT: String(port), INBOX_DATABASE: join(folder, 'inbox.db') }
      const failure = await run(node, [program, 'inbox', 'list', '--receiver', file], { env }).catch(
        (error) => error,
      )
      expect(failure).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`if (!process.env.WEBHOOK_INBOX_CLI) app.listen(${port})`),
      })
    } finally {
      taken.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('writes all of a long result to a pipe', async () => {
    const { stdout } = await run(node, [program, 'completion', 'bash'])
    expect(stdout).toMatch(/complete -o filenames -F _webhook_inbox webhook-inbox\n$/)
  })
})

/** The least processor time of several runs in milliseconds, which other work on the machine hardly changes. */
async function leastProcessorTime(args: readonly string[]): Promise<number> {
  const report = new URL('programs/report-time.mjs', import.meta.url).href
  const times: number[] = []
  for (let i = 0; i < 3; i++) {
    const { stderr } = await run(node, ['--import', report, ...args])
    times.push(Number(stderr.split('\n').at(-1)) / 1000)
  }
  return Math.min(...times)
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let all = ''
  for await (const chunk of stream) {
    all += chunk
  }
  return all
}
