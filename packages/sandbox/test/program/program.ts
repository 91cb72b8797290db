import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** What `npm run build` made. */
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export interface Program {
  readonly child: ChildProcess
  readonly stdout: string[]
  readonly stderr: string[]
  /** Resolves with the first line of stdout that matches. */
  line(pattern: RegExp): Promise<string>
  /** Resolves with the exit code, or the signal. */
  readonly exited: Promise<number | string>
}

/** Starts the program as a user does. Killed with the test, where it still runs. */
export function startProgram(flags: readonly string[], nodeFlags: readonly string[] = []): Program {
  const child = spawn(process.execPath, [...nodeFlags, main, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal)
  onTestFinished(() => void child.kill('SIGKILL'))
  const stdout: string[] = []
  const stderr: string[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    stdout.push(line)
    for (const look of waiting) {
      look()
    }
  })
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line))
  const line = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = stdout.find((text) => pattern.test(text))
        if (found === undefined) {
          return
        }
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      void exited.then((code) => reject(new Error(`ended with ${code}: ${stderr.join('\n')}`)))
      look()
    })
  return { child, stdout, stderr, line, exited }
}

/** The address of a program that was started with `--json`. */
export async function urlOf(program: Program): Promise<string> {
  return JSON.parse(await program.line(/"type":"started"/)).url
}
