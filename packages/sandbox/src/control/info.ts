import { subscriptionRecord } from '../api/api-records.js'
import type { Api } from '../api/app.js'
import { seedsOf } from '../bank/seeds.js'
import { listSubscriptions, maxSubscriptions } from '../delivery/subscriptions.js'
import type { Service } from '../service.js'
import { timestamp } from '../timestamp.js'
import { pageQueryOf } from './input.js'

/** `GET health | seeds | config | requests` */
export function infoRoutes(app: Api, { database, options, requests, clock }: Service): void {
  app.get('/_sandbox/health', (c) => c.json({ status: 'ok', now: timestamp(clock.now()) }))

  app.get('/_sandbox/seeds', (c) => c.json({ seed: options.seed, ...seedsOf(options.product) }))

  app.get('/_sandbox/config', (c) => {
    // The only place that shows a secret again. Anyone who can send requests here can also read the memory.
    const subscriptions = listSubscriptions(database, { limit: maxSubscriptions }).map((subscription) => ({
      ...subscriptionRecord(subscription),
      secret: subscription.secret,
    }))
    const { secret: _, scheme = null, requestsPerSecond = null, ...rest } = options
    return c.json({ ...rest, scheme, requestsPerSecond, subscriptions })
  })

  app.get('/_sandbox/requests', (c) => {
    const data = requests
      .list(pageQueryOf(c).limit)
      .map(({ at, code = null, ...rest }) => ({ ...rest, code, at: timestamp(at) }))
    return c.json({ data })
  })
}
