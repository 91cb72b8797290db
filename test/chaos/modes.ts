/** A store and a queue together, as a user would put them into production. */
export interface Mode {
  readonly name: string
  readonly store: 'postgres' | 'sqlite' | 'redis'
  /** Absent where handlers run inside the request. */
  readonly queue?: 'local' | 'pg-boss' | 'bullmq'
  /** Whether what a handler writes commits together with the mark “done”. */
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

/** What a child process is told when it starts. */
export interface ProcessSettings {
  readonly mode: ModeName
  /** Whether it takes deliveries, runs what is in the queue, or both. */
  readonly role: 'receiver' | 'worker' | 'both'
  readonly postgres?: string
  readonly redis?: number
  readonly sqlite?: string
  /** The file that it appends to whatever its handlers do. */
  readonly journal: string
  readonly secret: string
  readonly leaseSeconds: number
  readonly handlerTimeoutSeconds: number
  readonly poolSize: number
  /** How often a failing event is tried before it is dead. */
  readonly attempts: number
  /** The types that it has handlers for. */
  readonly types: readonly string[]
}

/** Where in the life of an event a process can be struck. */
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

/** The points that a mode has: without a queue nothing is accepted. */
export const pointsOf = (mode: Mode): Point[] =>
  points.filter((point) => mode.queue || !point.endsWith('acceptance'))

export interface Strike {
  readonly at: Point
  /** `die`: SIGKILL. `stop`: SIGSTOP. `block`: the event loop stands still. `fail`: the handler throws. */
  readonly act: 'die' | 'stop' | 'block' | 'fail'
  /** Strike the so-manieth time that the point is reached. Default 1. */
  readonly nth?: number
  /** How long to block. */
  readonly seconds?: number
}

/** What the parent tells a child while it runs. */
export type Order =
  | { readonly strike: Strike }
  | { readonly clockSeconds: number }
  | { readonly hogSeconds: number }
  | { readonly stop: true }

/** One line of the journal. */
export interface JournalLine {
  readonly what: 'entered' | 'left' | 'effect' | 'overlap' | 'struck'
  readonly pid: number
  /** Nanoseconds by the monotonic clock, which all processes of this machine share. */
  readonly at: string
  readonly id?: string
  readonly attempt?: number
  /** Of `struck`. */
  readonly point?: Point
  readonly act?: Strike['act']
}
