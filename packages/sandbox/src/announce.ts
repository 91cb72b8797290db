import type { Context } from './context.js'

/** Reports a record after the commit of its change, so that readers of the stream never see uncommitted data. */
export function announce(
  { database, onChange }: Pick<Context, 'database' | 'onChange'>,
  kind: Parameters<NonNullable<Context['onChange']>>[0],
  id: string,
): void {
  if (onChange) {
    database.afterCommit(() => onChange(kind, id))
  }
}
