import { invalidOption } from '../errors.js'
import type { AuditLog } from './audit-log.js'
import { checkLimit, checkName } from './check-values.js'
import { checkScope } from './endpoint-scope.js'

/** Checks each argument before it can reach a driver, as `checkedInbox` does. */
export function checkedAudits(log: AuditLog): AuditLog {
  return {
    async list(query) {
      checkScope(query)
      checkPage(query)
      for (const name of ['key', 'subject', 'run'] as const) {
        if (query[name] !== undefined) {
          checkName(name, query[name])
        }
      }
      return log.list(query)
    },
  }
}

/** The place of an entry is a number in the form of a string. */
function checkPage({ limit, after }: { readonly limit?: unknown; readonly after?: unknown }): void {
  if (limit !== undefined) {
    checkLimit(limit)
  }
  if (after !== undefined && !(typeof after === 'string' && /^\d{1,18}$/.test(after))) {
    throw invalidOption('after must be the id of an entry')
  }
}
