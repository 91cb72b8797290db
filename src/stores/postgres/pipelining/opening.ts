import { sha256 } from '#crypto'
import type { CheckedOut } from '../connection/check-out.js'
import { sqlState } from '../connection/postgres-fault.js'
import {
  type First,
  type Found,
  foundIn,
  type Limits,
  limiting,
  onePlan,
  type Row,
  type Statement,
  savepoint,
} from '../connection/transactions.js'
import { canPipeline, parsed, type Result, type Step } from './pipelined-query.js'

/**
 * Sends the first statement of a transaction together with its BEGIN, which saves a round trip, and keeps the plan of a
 * statement on its connection. `pipelining: false` sends each statement on its own; the effect is the same.
 *
 * Some poolers in transaction mode do not track prepared statements, such as PgBouncer before 1.21. They use another
 * connection each time, on which a statement may be missing or exist already. From then on nothing is pipelined.
 */
export class Opening {
  readonly #names = new Map<string, string>()
  #isPipelining: boolean

  constructor({ pipelining }: { readonly pipelining: boolean }) {
    this.#isPipelining = pipelining
  }

  /** Begins a transaction; resolves to the result of its first statement. */
  async open(session: CheckedOut, limits: Limits, first?: First): Promise<Found> {
    if (first && this.#canPipeline(session)) {
      const saved = { text: setSavepoint, name: await this.#nameOf(setSavepoint) }
      const result = await this.#tryPipelined(session, [
        { text: 'BEGIN', name: await this.#nameOf('BEGIN') },
        { text: limiting(limits), name: await this.#nameOf(limiting(limits)) },
        ...(first.savepoint === 'before' ? [saved] : []),
        { ...(await this.#stepOf(first)), isAnswer: true },
        ...(first.savepoint === 'after' ? [saved] : []),
      ])
      if (result) {
        return result.rows
      }
    }
    await session.run(`BEGIN; ${limiting(limits)}${first?.savepoint === 'before' ? `; ${setSavepoint}` : ''}`)
    const found = first ? foundIn((await session.run(first.text, first.values)).rows) : []
    if (first?.savepoint === 'after') {
      await session.run(setSavepoint)
    }
    return found
  }

  /** Runs a statement in a transaction of its own, with limits. Without BEGIN, the server commits what shares a round trip. */
  async ask(session: CheckedOut, limits: Limits, statement: Statement): Promise<readonly Row[]> {
    if (this.#canPipeline(session)) {
      const isKept = statement.planSeconds !== undefined
      const setting = isKept ? `${limiting(limits)}, ${onePlan}` : limiting(limits)
      const result = await this.#tryPipelined(session, [
        { text: setting, name: await this.#nameOf(setting) },
        { ...(await this.#stepOf(statement)), isAnswer: true, isDescribed: true },
      ])
      if (result) {
        return parsed(session.client, result)
      }
    }
    try {
      await session.run(`BEGIN; ${limiting(limits)}`)
      const { rows } = await session.run(statement.text, statement.values)
      await session.run('COMMIT')
      return rows
    } catch (error) {
      await session.rollback()
      throw session.lost ?? error
    }
  }

  /** Runs a statement that returns keys in a transaction of its own; resolves to them. */
  async insert(session: CheckedOut, statement: Statement): Promise<string[]> {
    if (this.#canPipeline(session)) {
      const result = await this.#tryPipelined(session, [
        { ...(await this.#stepOf(statement)), isAnswer: true },
      ])
      if (result) {
        return result.rows.map(([key]) => key as string)
      }
    }
    return (await session.run(statement.text, statement.values)).rows.map(({ key }) => key)
  }

  #canPipeline({ client }: CheckedOut): boolean {
    return this.#isPipelining && canPipeline(client)
  }

  /** If the connection has other prepared statements than expected, resolves to undefined and changes nothing. */
  async #tryPipelined(session: CheckedOut, steps: readonly Step[]): Promise<Result | undefined> {
    try {
      return await session.runPipelined(steps)
    } catch (error) {
      if (!unexpectedStatement.has(sqlState(error) ?? '')) {
        throw error
      }
      this.#isPipelining = false
      if (steps.length > 1) {
        await session.run('ROLLBACK')
      }
      return undefined
    }
  }

  async #stepOf({ text, values, planSeconds }: Statement): Promise<Step> {
    return planSeconds === undefined
      ? { text, values }
      : { text, values, name: await this.#nameOf(text), planSeconds }
  }

  /**
   * The name depends on the text, because through a pooler a connection may have statements of another version of this
   * program.
   */
  async #nameOf(text: string): Promise<string> {
    let name = this.#names.get(text)
    if (name === undefined) {
      name = `webhook_inbox_${(await sha256(text)).slice(0, 32)}`
      this.#names.set(text, name)
    }
    return name
  }
}

const setSavepoint = `SAVEPOINT ${savepoint}`

/** invalid_sql_statement_name, duplicate_prepared_statement */
const unexpectedStatement = new Set(['26000', '42P05'])
