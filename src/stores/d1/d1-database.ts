/** What D1 holds. */
export type D1Value = string | number | null

/** What the store needs of the binding of a D1 database. */
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
