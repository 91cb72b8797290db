import type { Clock } from './clock.js'
import type { Database } from './database/open.js'
import type { Ids } from './ids.js'
import type { Options } from './options/options.js'

/** The parts that all functions of one sandbox share. */
export interface Context {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly options: Options
  /** Called after the commit that made, changed or removed a record, but not for each attempt. */
  readonly onChange?: (kind: 'delivery' | 'subscription', id: string) => void
}
