import { attemptRecord, deliveryRecord } from '../control/control-records.js'
import type { RequestRecord } from '../control/request-log.js'
import { startSandbox } from '../create-sandbox.js'
import type { AttemptNotice } from '../delivery/attempt-notice.js'
import { OptionError } from '../options/option-error.js'
import { attemptLine, banner, paintFor, requestLine } from './lines.js'
import { openBrowser } from './open-browser.js'
import { type Flags, help, readFlags, UsageError, usageOf } from './program-flags.js'

/** The environment of the program; by default the process. */
export interface World {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean }
  readonly stderr: NodeJS.WritableStream
  /** Resolves when the program is asked to end. */
  readonly ended: () => Promise<void>
}

export { openBrowser } from './open-browser.js'

/** Runs the sandbox until it is asked to end. Resolves to the exit code: 0, or 2 for an error that the user must correct. */
export async function runSandbox(args: readonly string[], world: World = ofProcess()): Promise<number> {
  try {
    const flags = readFlags(args)
    if (flags.isHelp) {
      world.stdout.write(help)
      return 0
    }
    await run(flags, world)
    return 0
  } catch (error) {
    world.stderr.write(`sandbox: ${messageOf(error)}\n`)
    return 2
  }
}

async function run(flags: Flags, world: World): Promise<void> {
  const { options, isJson, isOpen } = flags
  const print = printer(isJson, world)
  const ended = world.ended()
  const sandbox = await startSandbox(options, {
    onRequest: print.request,
    onAttempt: print.attempt,
    onFailure: (error) => world.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
  })
  const text = banner(sandbox.url, options, sandbox.forwarding)
  if (isJson) {
    world.stderr.write(text)
    const forwarding = sandbox.forwarding.map(({ secret, isSecretMade, ...target }) =>
      isSecretMade ? { ...target, secret } : target,
    )
    print.json({ type: 'started', url: sandbox.url, forwarding })
  } else {
    world.stdout.write(`${text}\n`)
  }
  if (isOpen) {
    openBrowser(`${sandbox.url}/_inspector`)
  }
  await ended
  await sandbox.close()
}

function printer(isJson: boolean, { stdout }: World) {
  const paint = paintFor(Boolean(stdout.isTTY) && !process.env.NO_COLOR)
  const line = (text: string) => void stdout.write(`${text}\n`)
  const json = (value: object) => line(JSON.stringify(value))
  return {
    json,
    request: (request: RequestRecord) =>
      isJson ? json({ type: 'request', ...request }) : line(requestLine(request, paint)),
    attempt: (notice: AttemptNotice) =>
      isJson ? json(attemptJson(notice)) : line(attemptLine(notice, paint)),
  }
}

function attemptJson(notice: AttemptNotice) {
  const { phase, delivery, number, of } = notice
  const attempt = phase === 'ended' && { attempt: attemptRecord(notice.attempt) }
  return { type: 'attempt', phase, number, of, delivery: deliveryRecord(delivery), ...attempt }
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError) {
    return error.message
  }
  if (error instanceof OptionError) {
    return usageOf(error).message
  }
  const { code, port, stack } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use. Stop its owner, or pass --port 0 for a free one.`
  }
  if (code === 'EACCES') {
    return `Port ${port} is not permitted. Pass --port with a number above 1023.`
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return 'The --host is no address of this machine.'
  }
  return stack ?? String(error)
}

/** npm passes on a Ctrl-C that the terminal has sent already. Within this time both count as one. */
const echoMilliseconds = 500

/** The first Ctrl-C ends the program cleanly, a later one immediately. */
function ofProcess(): World {
  const ended = () =>
    new Promise<void>((resolve) => {
      let firstAt: number | undefined
      const end = () => {
        firstAt ??= performance.now()
        if (performance.now() - firstAt > echoMilliseconds) {
          process.exit(130)
        }
        resolve()
      }
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.on(signal, end)
      }
    })
  // The reader of a pipe may end before the program.
  process.stdout.on('error', () => process.exit(0))
  return { stdout: process.stdout, stderr: process.stderr, ended }
}
