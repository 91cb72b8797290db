import type { Audit } from 'webhook-inbox'
import type { Options, Values } from '../command.js'
import { UsageError } from '../exit.js'
import { userName } from '../user-name.js'

export const auditOptions = {
  reason: { type: 'string', value: 'TEXT', help: 'Why. Required; it is kept for auditors' },
  actor: { type: 'string', value: 'NAME', help: 'Who. Default: the name of the user of this machine' },
} as const satisfies Options

/** Who acts, and why. Throws `UsageError` if a reader would see no reason or no name. */
export function readAudit({ reason = '', actor }: Values<typeof auditOptions>): Audit {
  if (!visible.test(reason)) {
    throw new UsageError('say why with --reason TEXT; it is kept for auditors')
  }
  const who = actor ?? userName()
  if (!visible.test(who)) {
    throw new UsageError('say who acts with --actor NAME; it is kept for auditors')
  }
  return { reason, actor: who }
}

/** The same as in the core, which a test compares. The core does not export it, because no program needs it. */
const visible = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u
