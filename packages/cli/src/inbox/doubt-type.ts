import type { Receiver } from 'webhook-inbox'
import { UsageError } from '../exit.js'
import { printable } from '../printable.js'
import type { Printer } from '../printer.js'
import type { World } from '../world.js'
import { confirm } from './confirm.js'

/**
 * Whether to pause a type. Asks if no event of this type is kept, because a mistyped type pauses nothing. Throws `UsageError`
 * for such a type without a terminal and without `--yes`.
 */
export async function isMeant(
  receiver: Receiver,
  type: string,
  { isYes, print, world }: { readonly isYes: boolean; readonly print: Printer; readonly world: World },
): Promise<boolean> {
  const [event] = await receiver.list({ type, limit: 1, bodies: false })
  // `list` also takes a pattern, and `pause` does not.
  if (event?.type === type) {
    return true
  }
  const doubt = `no event of the type ${printable(type)} is kept here`
  if (!isYes && !world.stdin.isTTY) {
    throw new UsageError(`nothing was done: ${doubt}. Check the spelling, or add --yes`)
  }
  print.note(`N${doubt.slice(1)}. Check the spelling.`)
  return confirm('Pause it?', { yes: isYes, 'dry-run': false }, { print, world })
}
