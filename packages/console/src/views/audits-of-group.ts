import type { Receiver } from 'webhook-inbox'
import { ifSupported } from '../if-supported.js'
import type { AuditRow } from '../wire.js'
import { auditRow } from './audit-row.js'

/** How many changes a view shows. */
const most = 100
/** How many of the newest plans and runs are read to find those over a group. */
const mostRead = 500

/** What operators did to a group, newest first: changes of its state, and the operations over its events. */
export async function auditsOfGroup(receiver: Receiver, group: string): Promise<readonly AuditRow[]> {
  const own = (await receiver.audits({ subject: group, limit: most })).map(auditRow)
  const operations = (await ifSupported(() => operationsOn(receiver, group))) ?? []
  return [...own, ...operations].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, most)
}

async function operationsOn(receiver: Receiver, group: string): Promise<readonly AuditRow[]> {
  const plans = await receiver.plans({ limit: mostRead })
  const planned = new Set(plans.filter(({ where }) => where.group === group).map(({ id }) => id))
  if (planned.size === 0) {
    return []
  }
  const runs = await receiver.runs({ limit: mostRead })
  return runs
    .filter(({ plan }) => planned.has(plan))
    .map(({ id, createdAt: at, action, actor, reason, applied }) => {
      return { id, at, action, actor, reason, run: id, count: applied }
    })
}
