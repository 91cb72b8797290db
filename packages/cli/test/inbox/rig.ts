import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Receiver } from 'webhook-inbox'
import { deliveryOf, testSender } from 'webhook-inbox/testing'
import { builtProgram } from '../built.js'
import { type Printed, type Setting, webhookInbox } from '../in-process.js'

/** A program of a user, in the folder of the tests. */
export const programs = (name: string) => fileURLToPath(new URL(`../programs/${name}`, import.meta.url))

export const secret = 'whsec_of_the_inbox_tests'

/** One event that succeeds, three that die. A delivery that is no event is in quarantine besides. */
export const given = ['evt_good', 'evt_1', 'evt_2', 'evt_3'] as const

/** The modules that commands in this process have loaded. */
const { cache: loaded } = createRequire(import.meta.url)

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A running program with events in its inbox, and the command line that operates it. */
export interface Rig {
  readonly folder: string
  readonly running: Receiver
  readonly module: string
  /** Runs `webhook-inbox inbox ...` on the program, or on another module. On SQLite in this process, which is faster. */
  inbox(args: readonly string[], module?: string): Promise<Ran>
  /** As `inbox`, on a wide terminal without colors. With `keys` a person answers the question. */
  terminal(args: readonly string[], setting?: Setting): Promise<Printed>
  /** As `inbox`, but as an operator does: the command line that ships, in another process. */
  program(args: readonly string[], module?: string): Promise<Ran>
  close(): Promise<void>
}

/** Starts a program, migrated by the command line itself, and delivers what {@link given} says. */
export async function openRig(name: string, env: Readonly<Record<string, string>> = {}): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'inbox-'))
  const module = programs(name)
  const variables = { INBOX_DATABASE: join(folder, 'inbox.db'), ...env }
  Object.assign(process.env, variables, { WEBHOOK_INBOX_CLI: '1' })
  const commandOf = (args: readonly string[], other = module) => ['inbox', ...args, '--receiver', other]
  const program: Rig['program'] = async (...given) => run(await builtProgram(), commandOf(...given))
  const inThisProcess: Rig['inbox'] = (...given) => {
    delete loaded[module]
    return webhookInbox(commandOf(...given), { env: process.env as Record<string, string> })
  }
  const terminal: Rig['terminal'] = (given, setting = {}) => {
    delete loaded[module]
    const env = { ...(process.env as Record<string, string>), NO_COLOR: '1', ...setting.env }
    return webhookInbox(commandOf(given), { columns: 200, ...setting, env })
  }
  // A module on Postgres keeps its connections until its process ends.
  const inbox = env.INBOX_POSTGRES ? program : inThisProcess
  const migrated = await inbox(['migrate'])
  if (migrated.code !== 0) {
    throw new Error(migrated.stderr)
  }
  // The query makes it a module of its own for each rig.
  const { receiver: running } = (await import(`${module}?${basename(folder)}`)) as { receiver: Receiver }
  // Each command sets it for itself. Here the program runs.
  delete process.env.WEBHOOK_INBOX_CLI
  await running.start()
  const sender = testSender({ receiver: running, secret })
  const [good, ...failing] = given
  await sender.send('transfer.settled', {}, { id: good })
  for (const id of failing) {
    await sender.send('transfer.failed', { transferId: `tr_${id}` }, { id })
  }
  await sender.deliver(await deliveryOf('not JSON', { secret }))
  await until(async () => (await running.health()).counts.dead === 3)
  return {
    folder,
    running,
    module,
    inbox,
    terminal,
    program,
    async close() {
      await running.stop()
      await rm(folder, { recursive: true })
    },
  }
}

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** As an operator does: another process than the one that receives. */
export function run(program: string, args: readonly string[], cwd?: string): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { env: process.env, cwd },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
    child.stdin?.end()
  })
}

export const jsonLines = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

export const ids = (text: string) => jsonLines(text).map(({ id }) => id)

/** A screen without what differs from run to run, and without the padding of tables. */
export const steady = (text: string) =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z/g, 'TIME')
    .replaceAll(/\b(run|plan)-[0-9a-f][0-9a-f-]*/g, '$1-ID')
    .replaceAll(/payments\/[0-9a-f]{64}/g, 'payments/KEY')
    .replaceAll(/evt_edited_\w+/g, 'evt_COPY')
    .replaceAll(/ {2,}/g, '  ')
    .split('\n')
    .filter((line) => !/^(this program logs|migrated|$)/.test(line))

/** What the command says of itself, without the log of the program. */
export const toldOf = ({ stderr }: Pick<Ran, 'stderr'>) =>
  stderr
    .split('\n')
    .filter((line) => /^(webhook-inbox: |See )/.test(line))
    .join('\n')
