import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Receiver } from '../src/receiver.js'
import { answer } from './node/answer.js'
import { delivery } from './node/delivery.js'

/**
 * The receiver as a listener of `http.createServer`. It answers every method of every path it is given, so route to it
 * what it is meant for. Where `receive` rejects, because the program itself is wrong, it answers 500 and passes the
 * error to `next`, or else emits it as a process warning.
 */
export function nodeHandler(
  receiver: Receiver,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async function receiveWebhook(request, response) {
    try {
      await answer(request, response, await receiver.receive(delivery(request)))
    } catch (error) {
      process.emitWarning(error as Error)
      await answer(request, response, failure)
    }
  }
}

const failure = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: '{"outcome":"failed"}',
}
