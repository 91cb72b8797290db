import type { Context } from '../context.js'
import type { Attempt } from '../delivery/attempts.js'
import type { Delivery, LastAttempt } from '../delivery/deliveries.js'
import type { HeaderList } from '../delivery/exchange.js'
import { timestamp } from '../timestamp.js'

/** Each function here turns a row into a record of the control plane. */

export function deliveryRecord(delivery: Delivery) {
  const { seq: _, nextTryAt, createdAt, endedAt, last, ...rest } = delivery
  return {
    ...rest,
    signature: delivery.signature ?? null,
    createdAt: timestamp(createdAt),
    nextTryAt: nextTryAt === undefined ? null : timestamp(nextTryAt),
    endedAt: endedAt === undefined ? null : timestamp(endedAt),
    last: last ? lastRecord(last) : null,
  }
}

/** A summary of an attempt. */
export const lastRecord = ({
  number,
  startedAt,
  status,
  outcome,
  code,
  failure,
  milliseconds,
  faults,
  edited,
}: LastAttempt) => ({
  number,
  startedAt: timestamp(startedAt),
  status: status ?? null,
  outcome: outcome ?? null,
  code: code ?? null,
  failure: failure ?? null,
  milliseconds,
  faults,
  edited: edited ?? null,
})

export function attemptRecord(attempt: Attempt) {
  const { startedAt, sentAt, nextTryAt, request, response, failure, outcome, code, edited, ...rest } = attempt
  return {
    ...rest,
    startedAt: timestamp(startedAt),
    sentAt: sentAt === undefined ? null : timestamp(sentAt),
    request: { headers: headerPairs(request.headers), ...bytesRecord(request.body) },
    response: response
      ? {
          status: response.status,
          headers: headerPairs(response.headers),
          isTruncated: response.isTruncated,
          ...bytesRecord(response.body),
        }
      : null,
    failure: failure ?? null,
    outcome: outcome ?? null,
    code: code ?? null,
    nextTryAt: nextTryAt === undefined ? null : timestamp(nextTryAt),
    edited: edited ?? null,
  }
}

const headerPairs = (headers: HeaderList): [string, string][] => headers.map(([name, value]) => [name, value])

/** The exact bytes: as base64, and as text for people. */
const bytesRecord = (body: Uint8Array) => {
  const bytes = Buffer.from(body)
  return { body: bytes.toString(), bodyBase64: bytes.toString('base64') }
}

/** Which clock the sandbox has, and its time. */
export const clockRecord = ({ clock, options }: Pick<Context, 'clock' | 'options'>) => ({
  kind: options.clock,
  now: timestamp(clock.now()),
})
