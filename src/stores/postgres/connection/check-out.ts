import { LazyAbort } from '../../../timing/lazy-abort.js'
import { PipelinedQuery, type Result, type Step } from '../pipelining/pipelined-query.js'
import type { PgClient, PgPool } from './pg-client.js'
import { endsConnection } from './postgres-fault.js'
import { Disconnected, Lapsed, type Limits, ms } from './transactions.js'
import { checkedValues } from './values.js'

type Answer = Awaited<ReturnType<PgClient['query']>>

/** How long a ROLLBACK may take, in seconds. A healthy connection answers in milliseconds. */
const rollbackSeconds = 1

/** A client of the pool for one transaction. It notices when the connection is lost or the time has passed. */
export class CheckedOut {
  /** By `performance.now()`. */
  readonly openedAt = performance.now()
  readonly #aborted = new LazyAbort()
  readonly #timer: ReturnType<typeof setTimeout>
  #reject: (reason: Error) => void = () => {}
  #lost: Lapsed | Disconnected | undefined
  #isReleased = false

  constructor(
    readonly client: PgClient,
    { lockSeconds, idleSeconds }: Limits,
  ) {
    client.on('error', this.#onError)
    // The server ends a session that idles. This timer is for a server that no longer answers, and for a handler that
    // keeps its session busy forever.
    const seconds = lockSeconds + idleSeconds
    this.#timer = setTimeout(() => this.lose(new Lapsed(`not done within ${seconds} s`)), ms(seconds))
  }

  get lost(): Error | undefined {
    return this.#lost
  }

  get signal(): AbortSignal {
    return this.#aborted.signal
  }

  /** Runs a statement of the store. Rejects as soon as the session is lost. */
  run(text: string, values?: readonly unknown[]): Promise<Answer> {
    return this.#send((resolve, reject) => {
      this.client.query(text, values && checkedValues(values)).then(resolve, reject)
    })
  }

  /** Runs statements in one round trip; resolves to the result of the answer. */
  runPipelined(steps: readonly Step[]): Promise<Result> {
    return this.#send((resolve, reject) => {
      const checked = steps.map(({ values = [], ...step }) => ({ ...step, values: checkedValues(values) }))
      const callback = (error: unknown, result?: Result) => (result ? resolve(result) : reject(error))
      this.client.query(new PipelinedQuery(checked, callback))
    })
  }

  /** Rolls back. If the server does not respond soon, drops the connection, which has the same effect. */
  async rollback(): Promise<void> {
    if (this.#lost) {
      return
    }
    const timer = setTimeout(
      () => this.lose(new Disconnected(`no response to ROLLBACK within ${rollbackSeconds} s`)),
      rollbackSeconds * 1000,
    )
    await this.run('ROLLBACK').catch((cause) => this.lose(cause))
    clearTimeout(timer)
  }

  /** Drops the connection. The server then rolls back. */
  lose(cause: unknown): void {
    if (this.#lost || this.#isReleased) {
      return
    }
    this.#lost = toLoss(cause)
    this.#aborted.abort(this.#lost)
    this.#reject(this.#lost)
    this.#isReleased = true
    clearTimeout(this.#timer)
    // The listener stays. A broken client may emit more than one error, and without a listener each would end the process.
    this.client.release(true)
  }

  /** Gives the client back, unless it is lost. */
  end(): void {
    if (this.#isReleased) {
      return
    }
    this.#isReleased = true
    clearTimeout(this.#timer)
    this.client.off('error', this.#onError)
    this.client.release()
  }

  /** If a statement fails without a response of the server, the connection must not be used again. */
  #send<T>(send: (resolve: (value: T) => void, reject: (error: unknown) => void) => void): Promise<T> {
    if (this.#lost) {
      return Promise.reject(this.#lost)
    }
    return new Promise<T>((resolve, reject) => {
      this.#reject = reject
      send(resolve, (error) => {
        if (endsConnection(error)) {
          this.lose(error)
        }
        reject(error)
      })
    })
  }

  readonly #onError = (error: Error): void => this.lose(error)
}

/** Takes a client from the pool. Rejects with {@link Disconnected} if none is free in time. */
export function checkOut(pool: PgPool, limits: Limits): Promise<CheckedOut> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(new Disconnected(`the pool had no connection within ${limits.idleSeconds} s`))
    }, ms(limits.idleSeconds))
    pool.connect().then(
      (client) => {
        clearTimeout(timer)
        if (isLate) {
          client.release()
        } else {
          resolve(new CheckedOut(client, limits))
        }
      },
      (cause) => {
        clearTimeout(timer)
        reject(toLoss(cause))
      },
    )
  })
}

/** Why a session ended. The server reports `25P03` or `25P04` when it ended the session for its limits. */
function toLoss(cause: unknown): Lapsed | Disconnected {
  if (cause instanceof Lapsed || cause instanceof Disconnected) {
    return cause
  }
  const { code, message } = cause as { code?: unknown; message?: unknown }
  const text = String(message ?? cause)
  return code === '25P03' || code === '25P04'
    ? new Lapsed(text, { cause })
    : new Disconnected(text, { cause })
}
