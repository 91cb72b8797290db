/** A store and a queue as used in production. */
export interface Mode {
  readonly name: string
  readonly store: 'postgres' | 'sqlite' | 'redis'
  /** Absent if handlers run inside the request. */
  readonly queue?: 'local' | 'pg-boss' | 'bullmq'
  /** Whether the writes of a handler commit together with the done mark. */
  readonly isTransactional: boolean
}

export const modes = {
  'postgres inline': { name: 'postgres inline', store: 'postgres', isTransactional: true },
  'postgres + pg-boss': {
    name: 'postgres + pg-boss',
    store: 'postgres',
    queue: 'pg-boss',
    isTransactional: true,
  },
  'postgres + local': { name: 'postgres + local', store: 'postgres', queue: 'local', isTransactional: true },
  'postgres + bullmq': {
    name: 'postgres + bullmq',
    store: 'postgres',
    queue: 'bullmq',
    isTransactional: true,
  },
  'sqlite + local': { name: 'sqlite + local', store: 'sqlite', queue: 'local', isTransactional: true },
  'redis inline': { name: 'redis inline', store: 'redis', isTransactional: false },
} as const satisfies Record<string, Mode>

export type ModeName = keyof typeof modes
export const modeNames = Object.keys(modes) as ModeName[]

/** The settings of a child process. */
export interface ProcessSettings {
  readonly mode: ModeName
  /** Whether it takes deliveries, runs jobs, or both. */
  readonly role: 'receiver' | 'worker' | 'both'
  readonly postgres?: string
  readonly redis?: number
  /** The ports of Sentinels that name the Redis to use, in place of `redis`. */
  readonly sentinels?: readonly number[]
  /** The option of `redisStore`. */
  readonly minReplicas?: number
  readonly sqlite?: string
  /** The file to which its handlers append a journal. */
  readonly journal: string
  readonly secret: string
  readonly leaseSeconds: number
  readonly handlerTimeoutSeconds: number
  readonly poolSize: number
  /** Number of attempts before a failing event is dead. */
  readonly attempts: number
  /** The event types that have a handler. */
  readonly types: readonly string[]
  /** Variables and flags of its process, beside those of this one. */
  readonly environment?: Readonly<Record<string, string>>
  readonly flags?: readonly string[]
  /** The most memory that the kernel allows it. Default: no limit. */
  readonly memoryBytes?: number
}

/** The steps of an event at which a process can be struck. */
export const points = [
  'before the acceptance',
  'before the commit of the acceptance',
  'after the commit of the acceptance',
  'before the claim',
  'after the claim',
  'in the handler',
  'after its write',
  'before the commit',
  'after the commit',
  'before the answer',
] as const

export type Point = (typeof points)[number]

/** The steps of a mode. Without a queue no event is accepted. */
export const pointsOf = (mode: Mode): Point[] =>
  points.filter((point) => mode.queue || !point.endsWith('acceptance'))

export interface Strike {
  readonly at: Point
  /** `die`: SIGKILL. `stop`: SIGSTOP. `block`: blocks the event loop. `fail`: the handler throws. */
  readonly act: 'die' | 'stop' | 'block' | 'fail'
  /** Strikes when the step is reached for this number of times. Default 1. */
  readonly nth?: number
  /** Time to block. */
  readonly seconds?: number
}

/** A message of the parent to a child. The first is `begin`: until then the child only loads its modules. */
export type Order =
  | { readonly begin: true }
  | { readonly strike: Strike }
  | { readonly clockSeconds: number }
  | { readonly hogSeconds: number }
  | { readonly stop: true }

/** One line of the journal. */
export interface JournalLine {
  /** `claims`: the claim begins. `overdue`: the time limit of the handler passed before its attempt ended. */
  readonly what:
    | 'claims'
    | 'entered'
    | 'left'
    | 'failed'
    | 'overdue'
    | 'effect'
    | 'overlap'
    | 'struck'
    | 'clock'
  readonly pid: number
  /** Nanoseconds of the monotonic clock, which all processes of a machine share. */
  readonly at: string
  readonly id?: string
  readonly attempt?: number
  /** Only for `struck`. */
  readonly point?: Point
  readonly act?: Strike['act']
}
