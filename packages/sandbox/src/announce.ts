import type { Context } from './context.js'

/** Reports a record once the transaction that changes it is committed. Readers of the stream never see less. */
export function announce(
  { database, onChange }: Pick<Context, 'database' | 'onChange'>,
  kind: Parameters<NonNullable<Context['onChange']>>[0],
  id: string,
): void {
  if (onChange) {
    database.afterCommit(() => onChange(kind, id))
  }
}
