import { ConfigurationError } from '../../../errors.js'
import type { PgClient } from './pg-client.js'

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

const late = 'tx.query came after the handler had settled; await what calls it'

/** Why the text of a statement cannot be sent, if it begins or ends a transaction. Savepoints can be sent. */
function endingStatement(statement: unknown): string | undefined {
  const text = typeof statement === 'string' ? statement : (statement as { text?: unknown } | null)?.text
  const [, keyword] = (typeof text === 'string' && ending.exec(text)) || []
  return (
    keyword &&
    `tx takes no ${keyword.toUpperCase()}: the store begins and ends the transaction; use SAVEPOINT`
  )
}

/** The first keyword of a statement, after white space and comments. */
const ending =
  /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*.*?\*\/)*(begin|start|commit|end|abort|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b)|prepare\s+transaction)\b/is

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
