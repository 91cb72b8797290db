import type { Service } from '../service.js'
import type { Api } from './app.js'
import { approvalRoutes } from './approval-routes.js'
import { authenticate } from './auth.js'
import { onlyFor, readBody } from './body.js'
import { deprecatedSince } from './deprecation.js'
import { eventRoutes } from './event-routes.js'
import { guardKey } from './guard-key.js'
import { idempotency } from './idempotency.js'
import { ledgerRoutes } from './ledger-routes.js'
import { limitRate } from './rate-limit.js'
import { subscriptionRoutes } from './subscription-routes.js'
import { transferRoutes } from './transfer-routes.js'
import { unpublishedRoutes } from './unpublished.js'
import { walletRoutes } from './wallet-routes.js'

/**
 * Everything that needs a credential, unknown paths included. `/v1/*` matches `/v1` too: a pattern of its own would run
 * each check twice, and the second would find the Idempotency-Key under way.
 */
export const guardedPaths = ['/v1/*', '/webhook-subscriptions/*']

/** The service's own routes. The order of the checks is the order here; each route checks its JSON and its schema. */
export function servicePlane(app: Api, service: Service): void {
  const { apiKey, requestsPerSecond, deprecation } = service.options
  const checks = [
    ...(deprecation ? [deprecatedSince(deprecation)] : []),
    authenticate(apiKey),
    ...(requestsPerSecond ? [limitRate(requestsPerSecond)] : []),
    guardKey(),
    onlyFor(['POST'], readBody),
    idempotency(service),
  ]
  for (const path of guardedPaths) {
    for (const check of checks) {
      app.use(path, check)
    }
  }
  walletRoutes(app, service)
  transferRoutes(app, service)
  subscriptionRoutes(app, service)
  eventRoutes(app, service)
  approvalRoutes(app, service)
  ledgerRoutes(app, service)
  unpublishedRoutes(app)
}
