import type { Row } from '../connection/transactions.js'

/** A statement of a group. */
export interface Step {
  readonly text: string
  readonly values?: readonly unknown[]
  /** The connection keeps the plan of the statement under this name. */
  readonly name?: string
  /** How long it keeps the plan, in seconds. Default: as long as the connection lives. */
  readonly planSeconds?: number
  /** Whether its rows are those of the group. */
  readonly isAnswer?: boolean
  /** Whether the server describes the columns of its rows. */
  readonly isDescribed?: boolean
}

/** A row in the format of the protocol. */
export type TextRow = readonly (string | null)[]

interface Column {
  readonly name: string
  readonly dataTypeID: number
}

/** The result of the answer. It has columns if the step is described. */
export interface Result {
  readonly rows: readonly TextRow[]
  readonly columns: readonly Column[]
}

/** The connection that `pg` passes to a custom query object. It has a method for each message to the server. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void }
  readonly parsedStatements: Record<string, string>
  parse(message: { readonly text: string; readonly name?: string | undefined }): void
  close(message: { readonly type: 'S'; readonly name: string }): void
  bind(message: { readonly statement?: string | undefined; readonly values: readonly unknown[] }): void
  describe(message: { readonly type: 'P'; readonly name: string }): void
  execute(message?: undefined): void
  sync(): void
}

/** A client that knows how to parse the values of each type. The user may have changed that. */
interface Parsing {
  getTypeParser(type: number, format: 'text'): (value: string) => unknown
}

/** Rows as the client itself returns them. */
export function parsed(client: object, { rows, columns }: Result): Row[] {
  const readers = columns.map(({ name, dataTypeID }) => ({
    name,
    parse: (client as Parsing).getTypeParser(dataTypeID, 'text'),
  }))
  return rows.map((values) => {
    const row: Row = {}
    for (const [at, { name, parse }] of readers.entries()) {
      const value = values[at] ?? null
      row[name] = value === null ? null : parse(value)
    }
    return row
  })
}

/**
 * Whether a client accepts a {@link PipelinedQuery}. The client of `pg` does. Exceptions are its native client, its pipeline
 * mode, and old versions that share one `writer` between messages.
 */
export function canPipeline(client: object): boolean {
  const { connection, pipeline, getTypeParser } = client as Partial<Parsing> & {
    connection?: Partial<Wire> & { readonly writer?: unknown }
    pipeline?: boolean
  }
  if (pipeline || !connection || connection.writer || typeof getTypeParser !== 'function') {
    return false
  }
  return typeof connection.parse === 'function' && connection.parsedStatements !== undefined
}

/**
 * Statements that share a round trip: a Submittable of node-postgres, like its cursors and streams. After a failed statement
 * the server skips the others, so no statement runs outside the transaction.
 */
export class PipelinedQuery {
  #at = 0
  readonly #rows: TextRow[] = []
  #columns: readonly Column[] = []

  constructor(
    readonly steps: readonly Step[],
    /** Called with an error or with the result of the answer. The client may replace it. */
    public callback: (error: unknown, result?: Result) => void,
  ) {}

  /** The client reads both when the server has parsed a statement, and then does not parse that statement again. */
  get name(): string | undefined {
    return this.steps[this.#at]?.name
  }
  get text(): string | undefined {
    return this.steps[this.#at]?.text
  }

  submit(wire: Wire): void {
    wire.stream.cork()
    try {
      for (const step of this.steps) {
        prepare(wire, step)
        wire.bind({ statement: step.name, values: (step.values ?? []).map(toWire) })
        if (step.isDescribed) {
          wire.describe({ type: 'P', name: '' })
        }
        wire.execute()
      }
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly Column[] }): void {
    this.#columns = fields
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    if (this.steps[this.#at]?.isAnswer) {
      this.#rows.push(fields)
    }
  }

  handleCommandComplete(): void {
    this.#at++
  }

  handleError(error: unknown): void {
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback(null, { rows: this.#rows, columns: this.#columns })
  }
}

/** When each connection was last asked to parse each of its statements, by `performance.now()`. */
const asked = new WeakMap<Wire, Map<string, number>>()

/** Asks the server to parse the statement, unless the connection has it, with a plan that is young enough. */
function prepare(wire: Wire, { text, name, planSeconds = Infinity }: Step): void {
  if (name === undefined) {
    wire.parse({ text })
    return
  }
  const times = asked.get(wire) ?? new Map<string, number>()
  asked.set(wire, times)
  const askedAt = times.get(name)
  const isOld = askedAt !== undefined && performance.now() - askedAt > planSeconds * 1000
  if (wire.parsedStatements[name] !== undefined && !isOld) {
    return
  }
  if (askedAt !== undefined) {
    // Also after a failed attempt. PgBouncer 1.21 and later then treat the name as used, and close the connection when it is used
    // again.
    wire.close({ type: 'S', name })
    delete wire.parsedStatements[name]
  }
  times.set(name, performance.now())
  wire.parse({ text, name })
}

/** A value in the format of the protocol: bytes unchanged, anything else as text. */
function toWire(value: unknown): string | Buffer | null {
  if (value === null || typeof value === 'string') {
    return value
  }
  if (Array.isArray(value)) {
    return toArray(value)
  }
  if (!(value instanceof Uint8Array)) {
    return String(value)
  }
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/** The literal of an array. If nothing needs escaping, it is JSON with other brackets. */
function toArray(values: readonly unknown[]): string {
  const json = JSON.stringify(values)
  return json.includes('\\') ? `{${values.map(toElement).join()}}` : `{${json.slice(1, -1)}}`
}

const toElement = (value: unknown) =>
  value === null ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`
