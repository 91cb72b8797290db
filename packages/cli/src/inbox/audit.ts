import type { Audit } from 'webhook-inbox'
import type { Options, Values } from '../command.js'
import { UsageError } from '../exit.js'
import { userName } from '../user-name.js'

export const auditOptions = {
  reason: { type: 'string', value: 'TEXT', help: 'Why. Required; it is kept for auditors' },
  actor: { type: 'string', value: 'NAME', help: 'Who. Default: the name of the user of this machine' },
} as const satisfies Options

/** Who acts, and why. Throws `UsageError` without a reason. */
export function readAudit({ reason, actor }: Values<typeof auditOptions>): Audit {
  if (!reason?.trim()) {
    throw new UsageError('say why with --reason TEXT; it is kept for auditors')
  }
  return { reason, actor: actor ?? userName() }
}
