import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answering, requireReceiver } from '../src/adapter-port.js'
import { toReceiveRequest } from './node/to-receive-request.js'
import { answer } from './node/write-answer.js'

/** A listener of `http.createServer`, and connect-style middleware. Never rejects. */
export type NodeHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => Promise<void>

/**
 * The receiver as a listener of `http.createServer`. It answers every request, on every path. A programming error goes
 * to `next`. Without `next`, the response is 500 and the error is written to stderr. Throws `ConfigurationError`
 * `invalid_option` if the argument is not a receiver.
 *
 * @example
 * http.createServer(nodeHandler(receiver)).listen(3000)
 */
export function nodeHandler(receiver: Answering): NodeHandler {
  requireReceiver(receiver, 'nodeHandler')
  return async function receiveWebhook(request, response, next) {
    try {
      await answer(request, response, await receiver.receive(toReceiveRequest(request)))
    } catch (error) {
      if (next) {
        return next(error)
      }
      console.error('webhook-inbox: the receiver rejected', error)
      await answer(request, response, failure)
    }
  }
}

const failure = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: '{"outcome":"failed"}',
}
