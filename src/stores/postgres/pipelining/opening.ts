import { sha256 } from '#crypto'
import type { CheckedOut } from '../check-out.js'
import type { First, Limits } from '../database.js'
import { sqlState } from '../fault.js'
import { canPipeline, type Step, type TextRow } from './pipelined-query.js'

/**
 * Sends the statement that a transaction begins with together with its BEGIN: of the four round trips of a transaction
 * whose handler writes once this saves one. A plan that is kept spares the server half of its work for a claim.
 *
 * A pooler in transaction mode that knows nothing of prepared statements, as PgBouncer before 1.21, lends another
 * connection each time: one on which the statement is not there, or is there already. From then on none is kept.
 */
export class Opening {
  readonly #names = new Map<string, string>()
  #keepsPlans = true

  /** Begins a transaction; resolves to how many rows its first statement has returned, 0 where there is none. */
  async open(session: CheckedOut, limits: Limits, first?: First): Promise<number> {
    if (first) {
      const rows = await this.#tryPipelined(session, [
        ...(await this.#begin(limits)),
        await this.#stepOf(first),
      ])
      if (rows) return rows.length
    }
    await session.run(beginning(limits).join('; '))
    return first ? (await session.run(first.text, first.values)).rows.length : 0
  }

  /** Runs a statement that returns keys in a transaction of its own; resolves to them. */
  async insert(session: CheckedOut, statement: First): Promise<string[]> {
    const rows = await this.#tryPipelined(session, [await this.#stepOf(statement)])
    if (rows) return rows.map(([key]) => key as string)
    return (await session.run(statement.text, statement.values)).rows.map(({ key }) => key)
  }

  /** Resolves to nothing, and has done nothing, where that does not work here. */
  async #tryPipelined(session: CheckedOut, steps: readonly Step[]): Promise<readonly TextRow[] | undefined> {
    if (!this.#keepsPlans || !canPipeline(session.client)) return undefined
    try {
      return await session.runPipelined(steps)
    } catch (error) {
      if (!strangers.has(sqlState(error) ?? '')) throw error
      this.#keepsPlans = false
      if (steps.length > 1) await session.run('ROLLBACK')
      return undefined
    }
  }

  async #begin(limits: Limits): Promise<Step[]> {
    const steps: Step[] = []
    for (const text of beginning(limits)) steps.push({ text, name: await this.#nameOf(text) })
    return steps
  }

  async #stepOf({ text, values, keepPlan }: First): Promise<Step> {
    return { text, name: keepPlan ? await this.#nameOf(text) : undefined, values }
  }

  /** By its text: through a pooler a connection may have the statements of another version of this program. */
  #nameOf(text: string): string | Promise<string> {
    return this.#names.get(text) ?? this.#learn(text)
  }

  async #learn(text: string): Promise<string> {
    const name = `webhook_inbox_${(await sha256(text)).slice(0, 32)}`
    this.#names.set(text, name)
    return name
  }
}

/** invalid_sql_statement_name, duplicate_prepared_statement */
const strangers = new Set(['26000', '42P05'])

/**
 * Sets the limits of a transaction, and that no plan is compiled: of a large backlog the planner fears more than it reads,
 * and to compile ten rows’ work takes 40 ms. A statement of its own, that is over before the first on a table waits for a
 * lock of it; and one, for three times SET LOCAL made the whole transaction 3 to 7 % longer.
 */
export const limiting = ({ lockSeconds, idleSeconds }: Limits) =>
  `SELECT set_config('lock_timeout', '${ms(lockSeconds)}', true),
  set_config('idle_in_transaction_session_timeout', '${ms(idleSeconds)}', true), set_config('jit', 'off', true)`

const beginning = (limits: Limits) => ['BEGIN', limiting(limits)]

/** Milliseconds as a setting of the server, to which 0 would mean for ever. */
export const ms = (seconds: number): number => Math.min(Math.max(1, Math.ceil(seconds * 1000)), 2 ** 31 - 1)
