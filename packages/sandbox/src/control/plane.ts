import type { Api } from '../api/app.js'
import { onlyFor, readBody } from '../api/body.js'
import type { Service } from '../service.js'
import { chaosRoutes } from './chaos.js'
import { clockRoutes } from './clock.js'
import { deliveryRoutes } from './deliveries.js'
import { eventRoutes } from './events.js'
import { type Address, ownOrigin } from './guard.js'
import { infoRoutes } from './info.js'
import { ledgerRoute } from './ledger.js'
import { resetRoute } from './reset.js'
import { streamRoute } from './stream.js'
import { transferRoutes } from './transfers.js'

/** What the sandbox adds to the service: everything below `/_sandbox`. Only for this machine, so it needs no key. */
export function controlPlane(app: Api, service: Service, addressOf: () => Address): void {
  app.use('/_sandbox/*', ownOrigin(addressOf))
  app.use('/_sandbox/*', onlyFor(['POST', 'PUT'], readBody))
  infoRoutes(app, service)
  ledgerRoute(app, service)
  eventRoutes(app, service)
  deliveryRoutes(app, service)
  transferRoutes(app, service)
  clockRoutes(app, service)
  chaosRoutes(app, service)
  resetRoute(app, service)
  streamRoute(app, service)
}
