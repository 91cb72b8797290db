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

/** Neither white space nor a format character, such as a space of width zero. The core rejects the same. */
const visible = /[^\s\p{Cf}]/u
