import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Receiver, requireReceiver } from '../src/adapter.js'
import { answer } from './node/answer.js'
import { toReceiveRequest } from './node/to-receive-request.js'

/** A listener of `http.createServer`, and a handler of frameworks in the manner of connect. Never rejects. */
export type NodeHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => Promise<void>

/**
 * The receiver as a listener of `http.createServer`. It answers every method of every path it is given, so route to it
 * what it is meant for. An error of the program itself goes to `next`; without one it is answered with 500 and written to
 * stderr.
 */
export function nodeHandler(receiver: Receiver): NodeHandler {
  requireReceiver(receiver, 'nodeHandler')
  return async function receiveWebhook(request, response, next) {
    try {
      await answer(request, response, await receiver.receive(toReceiveRequest(request)))
    } catch (error) {
      if (next) return next(error)
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
