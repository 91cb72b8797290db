import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { AuditEntry } from '../store/audit-log.js'
import { checkId, type ScopeOption, scopeOf } from './check-arguments.js'
import { capability, eventKey } from './inbox-of.js'

/** What an auditor looks at. */
export interface AuditOperations {
  /**
   * Lists what operators did, newest first, 100 entries by default: who, why, what and when. `after` is the `id` of the last
   * entry of the previous page. `eventId` limits it to one event, and `run` to one bulk run. `subject` limits it to what else a
   * change concerns, such as a group or the event that was copied.
   */
  audits(
    query?: {
      readonly limit?: number | undefined
      readonly after?: string | undefined
      readonly eventId?: string | undefined
      readonly subject?: string | undefined
      readonly run?: string | undefined
    } & ScopeOption,
  ): Promise<AuditEntry[]>
}

export function auditOperations(settings: Settings): AuditOperations {
  return {
    async audits(query = {}) {
      const { eventId, subject, run, ...page } = givenOptions('audits', query, [
        'limit',
        'after',
        'eventId',
        'subject',
        'run',
        'allEndpoints',
      ])
      const auditLog = capability(settings, 'auditLog')
      const key = eventId === undefined ? undefined : await eventKey(settings, 'eventId', eventId)
      return auditLog.list({
        ...page,
        key,
        subject: subject === undefined ? undefined : checkId('subject', subject),
        run: run === undefined ? undefined : checkId('run', run),
        ...scopeOf(page, settings.endpoint),
      })
    },
  }
}
