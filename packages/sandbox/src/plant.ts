import { plantSeeds } from './bank/seeds.js'
import type { Context } from './context.js'
import {
  createSubscription,
  listSubscriptions,
  maxSubscriptions,
  normalized,
  SubscriptionError,
} from './delivery/subscriptions.js'
import { targetProblem } from './delivery/target.js'
import { OptionError } from './options/option-error.js'

/** Makes the initial data and the subscriptions of `forwardTo`, unless the state file has them. Throws `OptionError`. */
export function plant(context: Context): void {
  const { database, options } = context
  plantSeeds(context)
  const known = new Set(listSubscriptions(database, { limit: maxSubscriptions }).map(({ url }) => url))
  for (const url of options.forwardTo.map(normalized)) {
    if (!known.has(url)) {
      forwardTo(context, url)
    }
  }
}

function forwardTo(context: Context, url: string): void {
  const { database, options } = context
  const problem = targetProblem(url, { ...options, ownPort: () => options.port })
  if (problem !== undefined) {
    throw new OptionError('forwardTo', problem)
  }
  try {
    database.transaction(() => createSubscription(context, { url, events: ['*'] }))()
  } catch (error) {
    if (!(error instanceof SubscriptionError)) {
      throw error
    }
    throw new OptionError('forwardTo', error.message)
  }
}
