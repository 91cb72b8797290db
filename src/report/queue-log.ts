import { lineLog } from './logger.js'
import { quiet } from './quiet.js'

/**
 * The default `onError` of a queue. A client adds itself to its errors, and a restart of its server ends many connections.
 * So an error is one line, without its objects, and its code is logged at most once a minute.
 */
export function queueLog(name: string): (error: unknown) => void {
  const log = lineLog(console)
  const isQuiet = quiet()
  return (error) => {
    const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown }
    if (!isQuiet(String(code ?? message ?? typeof error))) {
      log.error(`webhook-inbox: ${name}`, error ?? String(error))
    }
  }
}
