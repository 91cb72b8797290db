import { catchLater } from '../catch-later.js'
import { oneLine } from '../codes.js'
import { errorText } from '../error-text.js'
import type { TraceIds } from '../telemetry/telemetry.js'

/**
 * Gets the log lines for the operator. Each method gets one argument, a complete line, so `console`, pino, winston and
 * bunyan work without an adapter. `onResult` gets the error itself. Errors of the logger are ignored.
 */
export interface Logger {
  info(line: string): unknown
  warn(line: string): unknown
  error(line: string): unknown
}

/** A {@link Logger} that cannot fail. */
export interface LineLog {
  info(line: string): void
  warn(line: string): void
  /** Adds to the line the name and the message of `cause` and where it was thrown. After that the advice. */
  error(line: string, cause?: unknown, advice?: string): void
}

/**
 * Wraps a user's logger, so that its errors and rejections never reach the caller. Adds the ids of the active trace to the
 * end of each line. An adapter uses it for lines of its own. `false` writes nothing.
 *
 * @example
 * const log = lineLog(console)
 * log.error('my-adapter: the request could not be answered', new Error('the socket closed'))
 */
export function lineLog(
  logger: Logger | false,
  traceIds: () => TraceIds | undefined = () => undefined,
): LineLog {
  function write(level: keyof Logger, line: string): void {
    if (!logger) {
      return
    }
    try {
      catchLater(logger[level](oneLine(line, longestLine) + traced(traceIds())))
    } catch (error) {
      // There is no place to report it.
      catchLater(error)
    }
  }
  return {
    info: (line) => write('info', line),
    warn: (line) => write('warn', line),
    error(line, cause, advice) {
      // The cause comes before the advice: it is different each time, and a narrow screen shows only the start of a line.
      const found = cause === undefined ? [] : [oneLine(describeError(cause), longestCause)]
      write('error', [line, ...found, ...(advice ? [advice] : [])].join('; '))
    },
  }
}

/** The log of a receiver: each line begins with our name, and with the endpoint if that is not the default. */
export function receiverLog(
  logger: Logger | false,
  endpoint: string,
  traceIds?: () => TraceIds | undefined,
): LineLog {
  const log = lineLog(logger, traceIds)
  const name = endpoint === defaultEndpoint ? 'webhook-inbox' : `webhook-inbox (${endpoint})`
  return {
    info: (line) => log.info(`${name}: ${line}`),
    warn: (line) => log.warn(`${name}: ${line}`),
    error: (line, cause, advice) => log.error(`${name}: ${line}`, cause, advice),
  }
}

/** Where there is only one receiver, its name would only make each line longer. */
const defaultEndpoint = 'default'

const longestLine = 4000

/** Leaves room for the advice in the line. */
const longestCause = 3000

/** In the names of the OpenTelemetry log data model, so that a log pipeline finds them. */
const traced = (ids: TraceIds | undefined) =>
  ids ? oneLine(` trace_id=${ids.traceId} span_id=${ids.spanId}`, 200) : ''

/** Frames of a stack that are kept: enough to find the place, in one line. */
const frames = 3

/** The name, the message and the place of an error, and of what caused it. Never throws. */
function describeError(error: unknown, depth = 0): string {
  try {
    if (!(error instanceof Error)) {
      catchLater(error)
      return `thrown: ${errorText(error)}`
    }
    const where = placeIn(error)
    const text = `${errorText(error)}${where && `; ${where}`}`
    const { cause } = error
    return cause === undefined || depth > 2 ? text : `${text}; caused by ${describeError(cause, depth + 1)}`
  } catch {
    return 'thrown: a value that cannot be printed'
  }
}

/** The first lines of a stack. `Promise.any` gives its error none, so those of the first error that it collects. */
function placeIn(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : []
  const stacks = [error.stack, first instanceof Error ? first.stack : undefined]
  const places = stacks.map((stack) => {
    const lines = typeof stack === 'string' ? stack.split('\n') : []
    return lines.filter((line) => /^\s+at /.test(line)).slice(0, frames)
  })
  const place = places.find((lines) => lines.length > 0) ?? []
  return place.map((line) => line.trim()).join(' ')
}
