import Fastify from 'fastify'
import { expressHandler, expressMiddleware } from '../../adapters/express.js'
import { fastifyPlugin } from '../../adapters/fastify.js'
import { fetchHandler } from '../../adapters/fetch.js'
import { koaHandler, koaMiddleware } from '../../adapters/koa.js'
import { lambdaHandler } from '../../adapters/lambda.js'
import { nextHandler, nextPagesHandler } from '../../adapters/next.js'
import { nodeHandler } from '../../adapters/node.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { describeOdd, describeUnreadable, type Row } from '../receiver/odd-arguments.js'

const mounts = {
  expressHandler,
  expressMiddleware,
  fetchHandler,
  koaHandler,
  koaMiddleware,
  lambdaHandler,
  nextHandler,
  nextPagesHandler,
  nodeHandler,
}
const receiver = createReceiver({
  secret: 'whsec_test_secret',
  logger: false,
  store: memoryStore(),
  fallback: () => {},
})

const mounted = Object.entries(mounts).map(([name, mount]): Row => [name, (value) => mount(value)])
mounted.push(['fastifyPlugin, receiver', (value) => fastifyPlugin(Fastify(), { path: '/', receiver: value })])

describeUnreadable(mounted)
describeOdd([
  ...mounted,
  [
    'fastifyPlugin, path',
    (path) => fastifyPlugin(Fastify(), { path, receiver }),
    'a text with a zero',
    'megabytes',
  ],
  [
    'fastifyPlugin, handler',
    (handler) => fastifyPlugin(Fastify(), { path: '/', secret: 's', store: memoryStore(), handler }),
  ],
  ['an event of Lambda', (event) => lambdaHandler(receiver)(event)],
])
