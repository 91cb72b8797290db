/**
 * The functions and types that our adapters use. Use them to write your own adapter.
 *
 * @module
 */
export {
  type BodyProblem,
  createGate,
  type Gate,
  type GateOptions,
  type HeaderValue,
  type Lifespan,
  type LineLog,
  lineLog,
  type ReadBody,
  type ReadTime,
  type ReceiveRequest,
  type ReceiveResult,
  type Receiver,
  requireReceiver,
} from '../src/adapter-port.js'
export { guardRoute, type Webhook } from './node/guard-route.js'
export { withLifespan } from './node/lifespan.js'
export { toReceiveRequest } from './node/to-receive-request.js'
export { answer, isUploading } from './node/write-answer.js'
