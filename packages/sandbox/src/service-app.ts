import { answered } from './api/answered.js'
import { type Api, createApp } from './api/app.js'
import { documentRoute } from './api/document-route.js'
import { refuseUnknown } from './api/not-found.js'
import { servicePlane } from './api/plane.js'
import { type Address, ownHost } from './control/guard.js'
import { controlPlane } from './control/plane.js'
import type { RequestRecord } from './control/request-log.js'
import { inspectorRoutes } from './inspector.js'
import type { Service } from './service.js'

/** All routes of a sandbox. `onRequest` is called after each request to the service plane. */
export function serviceApp(
  service: Service,
  addressOf: () => Address,
  onRequest: (request: RequestRecord) => void,
): Api {
  const app = createApp(service.onFailure)
  const report = (request: RequestRecord) => {
    if (!isService(request.path)) {
      return
    }
    service.requests.add(request)
    service.feed.publish('request', request)
    onRequest(request)
  }
  app.use('*', answered(service, report))
  app.use('*', ownHost(addressOf))
  servicePlane(app, service)
  documentRoute(app)
  controlPlane(app, service, addressOf)
  inspectorRoutes(app)
  refuseUnknown(app)
  return app
}

const isService = (path: string) => /^\/(v1|webhook-subscriptions)(\/|$)/.test(path)
