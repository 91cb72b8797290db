/** A value that D1 can store. */
export type D1Value = string | number | null

/** The part of the binding of a D1 database that the store uses. */
export interface D1Database {
  prepare(sql: string): D1Statement
  /** Runs the statements in one transaction. */
  batch(statements: D1Statement[]): Promise<D1Result[]>
}

export interface D1Statement {
  bind(...values: D1Value[]): D1Statement
  all(): Promise<D1Result>
}

export interface D1Result {
  readonly results: readonly Readonly<Record<string, unknown>>[]
}
