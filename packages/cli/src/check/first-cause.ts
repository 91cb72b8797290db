import { type Code, codes } from 'webhook-inbox'
import { describeExchange } from '../http/describe.js'
import type { Answer, Exchange } from '../http/exchange.js'
import type { CaseResult, Finding } from './case.js'
import { clockSkew } from './clock-skew.js'
import type { Exchanged } from './endpoint.js'
import { rules } from './rules.js'

/** The result that other results follow from. It belongs to no case, because every case needs it. */
export const firstCause = 'valid-delivery'

/** One cause instead of a fault of each case: the endpoint acknowledges no valid delivery. */
export function rejectsAll(rejection: Answer, toleranceSeconds: number): CaseResult {
  const skew = clockSkew(rejection, toleranceSeconds)
  const { why, advice } = skew ? { why: skew, advice: synchronize } : causeOf(rejection)
  return {
    id: firstCause,
    group: 'accepts',
    title: 'a valid delivery is acknowledged',
    rule: 'R60',
    ruleText: rules.R60,
    sent: 'a signed event, before the first case',
    verdict: 'fail',
    received: describeExchange(rejection),
    why,
    advice,
    seconds: rejection.seconds,
  }
}

/**
 * Whether a result repeats the one cause: a valid delivery got the answer that the first one got, or the case saw only that
 * answer. Other deliveries of the case may end otherwise, such as an unsigned or an aborted one.
 */
export function isRepeated(
  { wrongAnswer }: Pick<Finding, 'wrongAnswer'>,
  exchanged: readonly Exchanged[],
  rejection: Answer,
): boolean {
  const hasSameStatus = (exchange: Exchange) =>
    exchange.kind === 'answer' && exchange.status === rejection.status
  const isSame =
    wrongAnswer?.kind === 'answer' &&
    hasSameStatus(wrongAnswer) &&
    codeIn(wrongAnswer.body) === codeIn(rejection.body)
  return isSame || (exchanged.length > 0 && exchanged.every(({ exchange }) => hasSameStatus(exchange)))
}

const synchronize = 'Synchronize the clocks of both machines.'

interface Cause {
  readonly why: string
  readonly advice: string
}

function causeOf({ status, body }: Answer): Cause {
  const code = codeIn(body)
  const found = (code !== undefined && causeOfCode(code)) || byStatus[status]
  return found || (status >= 500 ? broken : status >= 400 ? refused : redirected)
}

const wrongSecret: Cause = {
  why: 'the endpoint takes every delivery for a forgery',
  advice:
    'Give check the secret and the scheme of this endpoint: WEBHOOK_SECRET and --scheme. If they are right, a body parser or a proxy changes the body, or a gateway needs a key: see --header.',
}

/** The codes in the answers of a receiver of this project. */
const byCode: Readonly<Record<string, Cause>> = {
  signature_mismatch: wrongSecret,
  missing_signature: {
    why: 'the signature did not arrive',
    advice: 'Let the proxy pass Service-Signature and Service-Event-Id.',
  },
  timestamp_out_of_tolerance: {
    why: 'the endpoint takes a new timestamp for an old one',
    advice: synchronize,
  },
  invalid_data: {
    why: 'the schema of the endpoint rejects the data of the sample event',
    advice: 'Give an event that it accepts with --event.',
  },
  environment_not_allowed: {
    why: 'the endpoint does not accept events of this environment',
    advice: 'If it is an endpoint of production, pass --production.',
  },
}

const byStatus: Readonly<Record<number, Cause>> = {
  401: wrongSecret,
  403: wrongSecret,
  404: {
    why: 'nothing answers at this path',
    advice: 'Check the path of the URL, and where the receiver is mounted.',
  },
  405: {
    why: 'the path takes no POST',
    advice: 'Mount the receiver for POST at the path of the URL.',
  },
  429: {
    why: 'the endpoint limits the rate, also of valid deliveries',
    advice: 'Raise the limit for this test.',
  },
}

/** A receiver of this project names the cause. */
function causeOfCode(code: string): Cause | undefined {
  if (Object.hasOwn(byCode, code)) {
    return byCode[code]
  }
  if (!Object.hasOwn(codes, code) || isSaidByStatus.has(code)) {
    return undefined
  }
  const { fact, cause, fix } = codes[code as Code]
  return { why: `${fact}; likely cause: ${cause}`, advice: `${fix.charAt(0).toUpperCase()}${fix.slice(1)}.` }
}

/** The advice on these codes is for an operator, and not for a developer at this command. */
const isSaidByStatus: ReadonlySet<string> = new Set(['handler_failed', 'method_not_allowed'])

const redirected: Cause = {
  why: 'it redirects every delivery, and senders do not follow redirects',
  advice: 'Give the URL to which it redirects.',
}

const refused: Cause = {
  why: 'every valid delivery is rejected',
  advice:
    'Look at the response and at the log of the endpoint. If its handler rejects the sample event, give another one with --event.',
}

const broken: Cause = {
  why: 'the endpoint fails on every valid delivery',
  advice:
    'Look for the error in the log of the endpoint. If its handler fails on the sample event, give another one with --event.',
}

function codeIn(body: string): string | undefined {
  try {
    const { code } = JSON.parse(body) as { readonly code?: unknown }
    return typeof code === 'string' ? code : undefined
  } catch {
    return undefined
  }
}
