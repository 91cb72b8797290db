import { answered } from './api/answered.js'
import { type Api, createApp } from './api/app.js'
import { documentRoute } from './api/document-route.js'
import { refuseUnknown } from './api/not-found.js'
import { Problem } from './api/problems.js'
import { answerInSnakeCase, isSnakeCase } from './api/response-case.js'
import { guardedPaths, servicePlane } from './api/service-plane.js'
import { controlPlane } from './control/control-plane.js'
import { type Address, ownHost } from './control/guard.js'
import type { RequestRecord } from './control/request-log.js'
import { inspectorRoutes } from './inspector.js'
import type { Service } from './service.js'

export interface AppOptions {
  readonly addressOf: () => Address
  /** Called after each request to the service plane. */
  readonly onRequest?: ((request: RequestRecord) => void) | undefined
  /** True once the sandbox is closing. Every request is then rejected. */
  readonly isClosing?: () => boolean
}

/** All routes of a sandbox. */
export function serviceApp(service: Service, { addressOf, onRequest, isClosing }: AppOptions): Api {
  const app = createApp(service.onFailure)
  const report = (request: RequestRecord) => {
    if (!isService(request.path)) {
      return
    }
    service.requests.add(request)
    service.feed.publish('request', request)
    onRequest?.(request)
  }
  if (isSnakeCase(service.options)) {
    for (const path of guardedPaths) {
      app.use(path, answerInSnakeCase)
    }
  }
  app.use('*', answered(service, report))
  app.use('*', ownHost(addressOf))
  app.use('*', (_, next) => {
    if (isClosing?.()) {
      throw new Problem('closing', 'The sandbox is closing. Start it again.')
    }
    return next()
  })
  servicePlane(app, service)
  documentRoute(app)
  controlPlane(app, service, addressOf)
  inspectorRoutes(app)
  refuseUnknown(app)
  return app
}

const isService = (path: string) => /^\/(v1|webhook-subscriptions)(\/|$)/.test(path)
