import { catchLater } from '../catch-later.js'
import { lineLog } from './logger.js'
import { quiet } from './quiet.js'

/**
 * The default `onError` of a queue. A client adds itself to its errors, and a restart of its server ends many connections.
 * So an error is one line, without its objects, and its code is logged at most once a minute. `adviceOn` gives the fix for an error
 * of a client.
 */
export function queueLog(
  name: string,
  adviceOn: (error: unknown) => string | undefined = () => undefined,
): (error: unknown) => void {
  const log = lineLog(console)
  const isQuiet = quiet()
  return (error) => {
    if (!isQuiet(kindOf(error))) {
      log.error(`webhook-inbox: ${name}`, error ?? String(error), adviceOn(error))
    }
  }
}

/**
 * An `onError` of the user, called at most once a second for each code, or for each message of an error without a code.
 * A server that is down or refuses writes can cause thousands of errors a second. What it throws is logged.
 */
export function oncePerSecond(name: string, onError: (error: unknown) => unknown): (error: unknown) => void {
  const complain = queueLog(`${name}: onError threw`)
  const isQuiet = quiet(1)
  return (error) => {
    if (isQuiet(kindOf(error))) {
      return
    }
    try {
      catchLater(onError(error), complain)
    } catch (thrown) {
      complain(thrown)
    }
  }
}

function kindOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  return String(code ?? message ?? typeof error)
}
