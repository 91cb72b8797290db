import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { root } from './built.js'

/** A program that a test has started, and its output. */
export interface Program {
  /** Returns the output on stdout and stderr so far. */
  output(): string
  /** Resolves to the first match in the output. Rejects when the program ends first, or after 60 s. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal. Resolves to the exit code or signal. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** Resolves to the exit code or signal. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** Variables that the test runner sets for its own process. */
const runnersOwn = /^(NODE_OPTIONS|NODE_ENV|FORCE_COLOR|VITEST.*)$/

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) {
    child.kill('SIGKILL')
  }
})

/** Starts a program in a folder, by default the root of the repository, without environment variables that would change its behavior. */
export function start(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd: string = root,
): Program {
  const outer = Object.entries(process.env).filter(([name]) => !runnersOwn.test(name))
  const child = spawn(command, args, {
    cwd,
    env: Object.fromEntries([...outer, ['NO_COLOR', '1'], ...Object.entries(env)]) as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)

  let output = ''
  const listeners = new Set<() => void>()
  const take = (chunk: Buffer) => {
    output += chunk
    for (const listener of listeners) {
      listener()
    }
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)

  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child)
    for (const listener of listeners) {
      listener()
    }
    return { code, signal }
  })

  return {
    output: () => output,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => finish(new Error(`not within 60 s: ${pattern}\n${output}`)), 60_000)
        function finish(found: RegExpExecArray | Error) {
          clearTimeout(timer)
          listeners.delete(look)
          if (found instanceof Error) {
            reject(found)
          } else {
            resolve(found)
          }
        }
        function look() {
          const match = pattern.exec(output)
          if (match) {
            finish(match)
          } else if (child.exitCode !== null || child.signalCode !== null) {
            finish(new Error(`it ended before it said ${pattern}\n${output}`))
          }
        }
        listeners.add(look)
        look()
      }),
    async end(signal) {
      child.kill(signal)
      return ended
    },
    ended,
  }
}
