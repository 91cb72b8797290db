import { catchLater } from '../catch-later.js'
import { adviceOf, adviceOn, codeWithDetail, explain, oneLine } from '../codes.js'
import { WebhookInboxError } from '../errors.js'
import { similarName } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { Acknowledged, ReceiveResult, Unacknowledged } from '../result.js'
import { fixOfData } from './data-advice.js'
import type { LineLog } from './logger.js'
import { quiet } from './quiet.js'

export type { Logger } from './logger.js'

/** Maximum warnings logged per event. */
const mostWarnings = 10

/** Enough for the paths of a dozen fields. */
const longestPaths = 1000

/** Log at most this many unhandled event types. */
const mostTypes = 100

/**
 * Logs the results that an operator should see. Anyone can repeat a request. So a line is written at most once a minute
 * for each code and event, or for each code if the signature is not verified.
 */
function resultLog(
  log: LineLog,
  settings: Pick<Settings, 'queue' | 'inexactNumbers' | 'handlers'>,
): (result: ReceiveResult) => void {
  const hasQueue = settings.queue !== undefined
  const isQuietOf = quiet()
  const ignoredTypes = new Set<string>()

  function noteIgnored(type: string | undefined): void {
    if (type === undefined || ignoredTypes.has(type) || ignoredTypes.size >= mostTypes) {
      return
    }
    ignoredTypes.add(type)
    const fact = `no handler for ${type}: such events are acknowledged as ignored; logged once`
    const similar = similarName(type, Object.keys(settings.handlers ?? {}))
    if (similar === undefined) {
      log.info(fact)
    } else {
      log.warn(
        `${fact}; there is one for ${oneLine(similar, longestType)}; fix: correct its name if it is misspelled`,
      )
    }
  }

  const isQuiet = ({ code, eventId = '' }: ReceiveResult) => isQuietOf(`${code}/${eventId}`)

  function because(result: ReceiveResult): string {
    const { code, detail } = result
    if (code === 'invalid_data' && detail) {
      // The paths say the fact and the cause, and more exactly than the code.
      return `${codeWithDetail(code, oneLine(detail, longestPaths))}; ${adviceOf(code, fixOfData(result, settings))}`
    }
    return code ? explain(code, detail, hasQueue) : ''
  }

  function logFailure(result: Unacknowledged): void {
    const { code, cause } = result
    const about = subjectWithType(result)
    if (isOurs(cause, code)) {
      // An error of ours says the fact, the likely cause and the fix itself, and more exactly than its code.
      const [fact, advice] = splitAdvice(cause.message)
      log.error(joined(about, fact), cause.cause, advice)
    } else if (cause === undefined && code === 'handler_failed') {
      const fact = `${codeWithDetail(code, result.detail)}; thrown: undefined`
      log.error(joined(about, fact), undefined, adviceOn(code, hasQueue))
    } else if (cause === undefined) {
      log.error(joined(about, explain(code, result.detail, hasQueue)))
    } else {
      log.error(joined(about, codeWithDetail(code, result.detail)), cause, adviceOn(code, hasQueue))
    }
  }

  return (result) => {
    switch (result.outcome) {
      case 'failed':
        if (!isQuiet(result)) {
          logFailure(result)
        }
        break
      case 'rejected':
        if (!isQuiet(result)) {
          log.warn(joined(subject(result), because(result)))
        }
        break
      case 'quarantined':
        if (!isQuiet(result)) {
          log.warn(joined(...ending(result), because(result)) + whereToLook(result))
        }
        break
      case 'ignored':
        noteIgnored(result.event?.type)
        break
      case 'duplicate':
        // The first delivery of the event has logged its warnings, and anybody can repeat it.
        break
      default:
        for (const warning of result.warnings?.slice(0, mostWarnings) ?? []) {
          log.warn(joined(subject(result), oneLine(warning)))
        }
    }
  }
}

/** With the type of the event, and with the attempt that failed. */
function subjectWithType(result: ReceiveResult): string {
  const { event, attempt } = result
  const facts = [
    ...(event ? [oneLine(event.type, longestType)] : []),
    ...(attempt ? [`attempt ${attempt}`] : []),
  ]
  return subject(result) + (facts.length > 0 ? ` (${facts.join(', ')})` : '')
}

const longestType = 100

/** An operator needs the key of a delivery that is no event, to look at it. */
const whereToLook = ({ outcome, key }: Acknowledged) =>
  outcome === 'quarantined' && key !== undefined
    ? `; to look at it: webhook-inbox inbox show ${oneLine(key)}`
    : ''

/** What a user’s function throws can be a proxy that throws when it is examined. */
function isOurs(cause: unknown, code: string): cause is WebhookInboxError {
  try {
    return cause instanceof WebhookInboxError && cause.code === code
  } catch {
    return false
  }
}

/** The sentence of an error of ours up to its likely cause, and the rest. */
function splitAdvice(message: string): [string, string | undefined] {
  const at = message.search(/; (?:likely cause|fix): /)
  return at < 0 ? [message, undefined] : [message.slice(0, at), message.slice(at + 2)]
}

const ending = (result: Acknowledged) =>
  isDead(result)
    ? [`${subjectWithType({ ...result, attempt: 0 })} is dead`]
    : [subject(result), 'quarantined']

/** Where only its data does not fit, or where it comes from the queue, an event is kept. The quarantine keeps only deliveries. */
const isDead = ({ source, event, code }: Acknowledged) =>
  source === 'queue' || (event !== undefined && code !== 'event_id_conflict')

function subject({ eventId, source }: ReceiveResult): string {
  if (eventId !== undefined) {
    return `event ${eventId}`
  }
  return source === 'queue' ? 'an event' : ''
}

const joined = (...parts: readonly string[]) => parts.filter(Boolean).join(': ')

/** Passes each result to the log and to `onResult`. Their errors and rejections do not change the response. */
export function reporter(
  log: LineLog,
  settings: Pick<Settings, 'onResult' | 'queue' | 'inexactNumbers' | 'handlers'>,
): (result: ReceiveResult) => void {
  const { onResult } = settings
  const write = resultLog(log, settings)
  const complain = (error: unknown) => log.error('onResult threw', error)
  return (result) => {
    write(result)
    if (!onResult) {
      return
    }
    try {
      catchLater(onResult(result), complain)
    } catch (error) {
      complain(error)
    }
  }
}
