import type { Api } from '../api/app.js'
import { onlyFor, readBody } from '../api/body.js'
import type { Service } from '../service.js'
import { chaosRoutes } from './chaos-controls.js'
import { clockRoutes } from './clock-controls.js'
import { deliveryRoutes } from './delivery-controls.js'
import { eventRoutes } from './event-controls.js'
import { type Address, ownOrigin } from './guard.js'
import { infoRoutes } from './info.js'
import { ledgerRoute } from './ledger-sum.js'
import { resetRoute } from './reset.js'
import { streamRoute } from './stream.js'
import { transferRoutes } from './transfer-controls.js'

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
