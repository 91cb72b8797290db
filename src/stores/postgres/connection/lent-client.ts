import { ConfigurationError } from '../../../errors.js'
import type { PgClient } from './pg-client.js'
import { savepoint } from './transactions.js'

/** A client that a handler may use until its work has settled. */
export interface LentClient {
  readonly tx: PgClient
  /** From now on `tx` rejects every statement. */
  takeBack(): void
}

/**
 * Lends the client of a transaction to a handler. The handler writes; the store alone begins, ends and releases.
 *
 * The pool gives the same client to the next transaction. Without this guard, a statement that comes too late would
 * commit with another event, and a COMMIT of the handler would mark its event as done before the handler has ended.
 */
export function lend(client: PgClient): LentClient {
  let isLent = true

  function query(...values: unknown[]): unknown {
    const misuse = isLent ? endingStatement(values[0]) : late
    if (misuse) {
      return fail(values, misused(misuse))
    }
    return Reflect.apply(client.query, client, values)
  }

  function release(): never {
    throw misused('tx.release is for the store: it releases the client when the handler has settled')
  }

  const own: Record<PropertyKey, unknown> = { query, release }
  // A proxy keeps `instanceof`, which libraries use to recognize a client.
  const tx = new Proxy(client, {
    get: (target, name) => own[name] ?? Reflect.get(target, name, target),
  })
  return {
    tx,
    takeBack() {
      isLent = false
    },
  }
}

/** A second savepoint of this name would hide that of the store, and keep what a failed handler has written. */
const ownSavepoint = new RegExp(String.raw`\b(?:savepoint|to|release)\s+"?${savepoint}\b`, 'i')

const late = 'tx.query came after the handler had settled; await what calls it'

/**
 * Why the text of a statement cannot be sent, if it begins or ends a transaction. Other savepoints can be sent. This only tells early:
 * a procedure could end the transaction too, so the store also checks its savepoint before it commits.
 */
function endingStatement(statement: unknown): string | undefined {
  const given = typeof statement === 'string' ? statement : (statement as { text?: unknown } | null)?.text
  const text = typeof given === 'string' ? given : ''
  if (ownSavepoint.test(text)) {
    return `tx does not take the savepoint ${savepoint}: the name belongs to the store`
  }
  const [, keyword] = ending.exec(text) ?? ((text.includes(';') && laterEnding.exec(bare(text))) || [])
  return (
    keyword &&
    `tx takes no ${keyword.toUpperCase()}: the store begins and ends the transaction; use SAVEPOINT`
  )
}

const rollback = String.raw`rollback(?!\s+(?:(?:work|transaction)\s+)?to\b)`

/** A block comment, which may contain others. There is one way to read it, so that many comments take no longer than one. */
const blockComment = String.raw`\/\*(?:[^*/]|\*(?!\/)|\/(?!\*)|\/\*(?:[^*]|\*(?!\/))*\*\/)*\*\/`

/** The first keyword of a statement, after white space and comments. */
const ending = new RegExp(
  String.raw`^(?:[\s;]|--[^\n]*(?:\n|$)|${blockComment})*(begin|start|commit|end|abort|${rollback}|prepare\s+transaction)\b`,
  'i',
)

/** The first keyword of a later statement. Not END, which can end the body of a function (BEGIN ATOMIC). */
const laterEnding = new RegExp(
  String.raw`;\s*(begin|start\s+transaction|commit|abort|${rollback}|prepare\s+transaction)\b`,
  'i',
)

/** A text without its strings, quoted names and comments. */
const bare = (text: string) => text.replace(quoted, ' ')

const quoted =
  /\be'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\//gis

/** Fails like a client of `pg`: through the callback if there is one, otherwise by a promise. */
function fail(values: readonly unknown[], error: Error): Promise<never> | undefined {
  const callback = values.at(-1)
  if (typeof callback === 'function') {
    queueMicrotask(() => callback(error))
    return undefined
  }
  if (typeof (values[0] as { submit?: unknown } | null)?.submit === 'function') {
    throw error
  }
  return Promise.reject(error)
}

const misused = (message: string) => new ConfigurationError('transaction_misused', message)
