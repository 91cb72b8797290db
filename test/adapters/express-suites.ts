import { Readable } from 'node:stream'
import { describe } from 'vitest'
import { expressHandler, expressMiddleware } from '../../adapters/express.js'
import { type Express, ownCases } from './express-cases.js'
import { responseCases } from './express-response-cases.js'
import { asMiddleware } from './suite/as-middleware.js'
import { listen } from './suite/listen.js'
import { adapterSuite, type Mount, type MountRoute, middlewareSuite } from './suite.js'

/** Tests both forms of the adapter on one major version of Express. */
export function expressSuites(name: string, express: Express): void {
  const mount: Mount = (receiver) => {
    const router = express.Router().all('/webhooks', expressHandler(receiver))
    return listen(express().use('/api', router), '/api/webhooks')
  }

  const mountRoute: MountRoute = (options, route) => {
    const app = express().set('env', 'test')
    app.all('/webhooks', expressMiddleware(options), (request, response, next) => {
      response.set('x-route', 'yes')
      const run = async () =>
        route({
          webhook: request.webhook,
          reply: (status, body) => {
            response.status(status)
            if (body === undefined) {
              response.end()
            } else {
              response.send(body)
            }
          },
          stream: (status, chunks) => Readable.from(chunks).pipe(response.status(status)),
        })
      run().catch(next)
    })
    return listen(app)
  }

  adapterSuite(name, mount, {
    ownsConnection: true,
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
  describe(`${name} itself`, () => {
    ownCases(express)
    responseCases(express)
  })
}
