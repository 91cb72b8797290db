import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { type Backend, openBackend } from './backend.js'
import { Member } from './member.js'
import { type Mode, type ModeName, modes, type ProcessSettings } from './modes.js'
import { receiverProgram } from './program.js'
import { Random } from './random.js'
import { readJournal } from './read-journal.js'
import { Sender } from './sender.js'

export interface WorldOptions {
  readonly mode: ModeName
  readonly seed: number
  /** A shared server. Default: the world starts its own. */
  readonly postgres?: PostgresServer
  readonly settings?: Partial<ProcessSettings>
  /** How many processes there are of each role. Default 2. */
  readonly size?: number
  /** The processes. Default: `size` that receive and as many that run jobs. */
  readonly fleet?: readonly (Partial<ProcessSettings> & Pick<ProcessSettings, 'role'>)[]
  /** The folder for the files of SQLite or Redis. */
  readonly directory?: string
  /** Storage of the caller, who closes it. Default: the world opens its own. */
  readonly backend?: Backend
}

/** The event types that every process handles. */
export const types = ['payment.arrived', 'payment.returned'] as const

/** Servers, processes, a sender and a journal for one mode. */
export interface World {
  readonly mode: Mode
  readonly random: Random
  readonly backend: Backend
  readonly members: readonly Member[]
  readonly sender: Sender
  readonly secret: string
  readonly leaseSeconds: number
  readonly journal: () => ReturnType<typeof readJournal>
  /** The processes that take deliveries. */
  readonly receivers: readonly Member[]
  /** The processes that run handlers. */
  readonly runners: readonly Member[]
  /** Waits until a condition holds. Throws with its name after a time limit. */
  until(what: string, isTrue: () => boolean | Promise<boolean>, seconds?: number): Promise<void>
  close(): Promise<void>
}

export async function openWorld(options: WorldOptions): Promise<World> {
  const mode: Mode = modes[options.mode]
  const random = new Random(options.seed)
  const server =
    options.postgres ?? (mode.store === 'postgres' && !options.backend ? await startPostgres() : undefined)
  const directory = mkdtempSync(join(tmpdir(), 'webhook-inbox-chaos-'))
  const backend =
    options.backend ?? (await openBackend(options.mode, server as PostgresServer, options.directory))
  const path = join(directory, 'journal.ndjson')
  const secret = `whsec_chaos_${options.seed}_must_not_be_logged`
  const settings: Omit<ProcessSettings, 'role'> = {
    mode: options.mode,
    ...backend.addresses,
    journal: path,
    secret,
    leaseSeconds: 1,
    handlerTimeoutSeconds: 0.8,
    poolSize: 10,
    attempts: 6,
    types,
    ...options.settings,
  }
  const program = await receiverProgram()
  const fleet = options.fleet ?? fleetOf(mode, options.size ?? 2)
  const members = fleet.map((each) => new Member(program.path, { ...settings, ...each }))
  const receivers = members.filter(({ role }) => role !== 'worker')
  await Promise.all(members.map((each) => each.start()))

  return {
    mode,
    random,
    backend,
    members,
    receivers,
    runners: mode.queue ? members.filter(({ role }) => role !== 'receiver') : receivers,
    sender: new Sender(random, secret, () => receivers.map(({ port }) => port).filter((port) => port !== 0)),
    secret,
    leaseSeconds: settings.leaseSeconds,
    journal: () => readJournal(path),
    until,
    async close() {
      await Promise.all(members.map((each) => each.kill()))
      program.leave()
      if (!options.backend) {
        await backend.close()
      }
      if (!options.postgres) {
        await server?.close()
      }
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function fleetOf({ queue }: Mode, size: number): readonly Pick<ProcessSettings, 'role'>[] {
  const roles =
    queue === 'pg-boss' || queue === 'bullmq' ? (['receiver', 'worker'] as const) : (['both'] as const)
  return roles.flatMap((role) => Array.from({ length: size }, () => ({ role })))
}

async function until(what: string, isTrue: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  while (!(await isTrue())) {
    if (performance.now() > deadline) {
      throw new Error(`not within ${seconds} s: ${what}`)
    }
    await sleep(25)
  }
}
