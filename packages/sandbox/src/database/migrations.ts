import { apiTables } from '../api/api-tables.js'
import { bankTables } from '../bank/bank-tables.js'
import { deliveryTables } from '../delivery/delivery-tables.js'
import { settingTables } from './setting-tables.js'

/**
 * The steps from an empty file to the current tables, in order. A released step never changes. A change becomes another step.
 */
export const migrations: readonly string[] = [
  [settingTables, bankTables, apiTables, deliveryTables].join(';\n'),
]
