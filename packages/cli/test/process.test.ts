import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtProgram } from './built.js'

const run = promisify(execFile)
const node = process.execPath
let program: string
beforeAll(async () => {
  program = await builtProgram()
})

describe('the process', () => {
  it('starts --help at most 150 ms later than bare Node', async () => {
    const bare = await quickest(['-e', '0'])
    expect((await quickest([program, '--help'])) - bare).toBeLessThan(150)
  })

  it('has no secret in its title, from which ps reads', async () => {
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

  it('ends in silence when its reader ends first', async () => {
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

  it('writes all of a long result to a pipe', async () => {
    const { stdout } = await run(node, [program, 'completion', 'bash'])
    expect(stdout).toMatch(/complete -o filenames -F _webhook_inbox webhook-inbox\n$/)
  })
})

/** The quickest of several runs: load slows a run down, nothing speeds it up. */
async function quickest(args: readonly string[]): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 7; i++) {
    const start = performance.now()
    await run(node, args)
    times.push(performance.now() - start)
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
