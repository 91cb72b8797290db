import type { Receiver } from 'webhook-inbox'
import { UsageError } from '../exit.js'
import { printable } from '../printable.js'

const page = 100

/** Throws `UsageError` where a group is named that is not kept. A typing error would look like an empty result. */
export async function refuseUnknownGroup(
  receiver: Receiver,
  { group, allEndpoints }: { readonly group?: string | undefined; readonly allEndpoints?: boolean },
): Promise<void> {
  let after: string | undefined
  while (group !== undefined) {
    const groups = await receiver.failures({ allEndpoints, after, limit: page })
    if (groups.some((each) => each.group === group)) {
      return
    }
    if (groups.length < page) {
      throw new UsageError(
        `no group ${printable(group)} is kept; inbox failures lists the groups, and their ids must be given in full`,
      )
    }
    after = groups.at(-1)?.group
  }
}
