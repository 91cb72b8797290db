import { Readable } from 'node:stream'
import { expressHandler, expressMiddleware } from '../../adapters/express.js'
import { asMiddleware } from './suite/as-middleware.js'
import { listen } from './suite/listen.js'
import { adapterSuite, type Mount, type MountRoute, middlewareSuite } from './suite.js'

/** Express 4 and 5 differ in nothing that is used here, but their types do; so both are given as those of 5. */
type Express = typeof import('express')

/** Both forms of the adapter on one major version of Express. */
export function expressSuites(name: string, express: Express): void {
  const mount: Mount = (receiver) => listen(express().all('/webhooks', expressHandler(receiver)))

  const mountRoute: MountRoute = (options, route) => {
    const app = express().set('env', 'test')
    app.all('/webhooks', expressMiddleware(options), (request, response, next) => {
      response.set('x-route', 'yes')
      const run = async () =>
        route({
          webhook: request.webhook,
          reply: (status, body) => {
            response.status(status)
            if (body === undefined) response.end()
            else response.send(body)
          },
          stream: (status, chunks) => Readable.from(chunks).pipe(response.status(status)),
        })
      run().catch(next)
    })
    return listen(app)
  }

  adapterSuite(name, mount, {
    afterParser: (receiver) =>
      listen(express().use(express.json()).all('/webhooks', expressHandler(receiver))),
    afterRawParser: (receiver) =>
      listen(
        express()
          .use(express.raw({ type: '*/*' }))
          .all('/webhooks', expressHandler(receiver)),
      ),
    withSibling: (receiver) =>
      listen(
        express()
          .all('/webhooks', expressHandler(receiver))
          .use(express.json())
          .post('/sibling', (request, response) => void response.json(request.body)),
      ),
  })
  adapterSuite(`${name}, middleware form`, ...asMiddleware(mountRoute))
  middlewareSuite(name, mountRoute)
}
