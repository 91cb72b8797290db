import { apiTables } from '../api/tables.js'
import { bankTables } from '../bank/tables.js'
import { deliveryTables } from '../delivery/tables.js'
import { settingTables } from './tables.js'

/**
 * The steps from an empty file to the current tables, in order. A released step never changes. A change becomes another step.
 */
export const migrations: readonly string[] = [
  [settingTables, bankTables, apiTables, deliveryTables].join(';\n'),
]
