import type { Settings } from '../options/settings.js'
import { type AuditOperations, auditOperations } from './audits.js'
import { type ChangeOperations, changeOperations } from './change-events.js'
import { type ReadOperations, readOperations } from './read-events.js'

/**
 * What an operator does with an inbox. These functions check no permissions, and events contain customers’ data:
 * authorize the caller first. Each rejects with `ConfigurationError` `invalid_store` on a store without an inbox, and with
 * `invalid_option` or `unknown_option` for an argument that it cannot use.
 */
export interface Operations extends ReadOperations, ChangeOperations, AuditOperations {}

export const operations = (settings: Settings): Operations => ({
  ...readOperations(settings),
  ...changeOperations(settings),
  ...auditOperations(settings),
})
