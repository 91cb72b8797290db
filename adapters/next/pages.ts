import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answering, requireReceiver } from '../../src/adapter-port.js'
import { nodeHandler } from '../node.js'

/**
 * The receiver as an API route of the pages router. The file must also export a `config` that turns the body parser off.
 * Otherwise Next parses the body first and every delivery is answered 500 `body_already_read`.
 *
 * @example
 * export const config = { api: { bodyParser: false } }
 * export default nextPagesHandler(receiver)
 */
export function nextPagesHandler(
  receiver: Answering,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return nodeHandler(requireReceiver(receiver, 'nextPagesHandler'))
}
