import { type Answering, requireReceiver } from '../src/adapter-port.js'
import { fetchHandler } from './fetch.js'

// In its own file, so that an edge bundle without this function contains no code for Node.
export { nextPagesHandler } from './next/pages.js'

/**
 * The receiver as a route handler of the app router, in the Node and in the edge runtime. Next answers 405 to a method
 * that is not exported.
 *
 * @example
 * export const POST = nextHandler(receiver)
 */
export function nextHandler(receiver: Answering): (request: Request) => Promise<Response> {
  return fetchHandler(requireReceiver(receiver, 'nextHandler'))
}
