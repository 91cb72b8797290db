import { ApiError, type ErrorAnswer, type FailedCall } from './errors.js'
import type { Answer } from './exchange.js'
import { retryAfterSeconds } from './retry-after.js'

/** A JSON object with unknown fields. */
export type JsonObject = Record<string, unknown>

/** The error for a response outside 2xx, whatever its body is. */
export function apiError(call: FailedCall, answer: Answer): ApiError {
  const problem = toObject(answer.body)
  const code = text(problem?.code)
  const param = text(problem?.param)
  const said = text(problem?.detail) ?? text(problem?.title) ?? withoutProblem(answer)
  const fact = [String(answer.status), code, param && `param ${param}`].filter(Boolean).join(' ')
  return new ApiError(call, { ...told(answer, problem), code, param }, printable(`${fact}: ${said}`))
}

/** A 2xx answer, with the details for an error about it. */
export interface Sent {
  readonly call: FailedCall
  readonly answer: Answer
  /** Removes the credentials of the request from a text. */
  readonly redact: (text: string) => string
}

/** The body of a response of 2xx as an object. Throws `ApiError` with one of the client's own codes. */
export function objectOf(sent: Sent): JsonObject {
  if (sent.answer.isCut) {
    throw unusable(sent, 'the body is larger than maxResponseBytes', 'response_too_large')
  }
  const object = toObject(sent.answer.body)
  if (object) {
    return object
  }
  throw unusable(
    sent,
    'the body is not a JSON object. Is baseUrl the service, or is there a proxy before it?',
  )
}

/** The error for a 2xx answer with an invalid body. */
export function unusable(
  { call, answer, redact }: Sent,
  why: string,
  code: 'invalid_response' | 'response_too_large' = 'invalid_response',
): ApiError {
  const answered = { ...told(answer, undefined), body: redact(answer.body), code, param: undefined }
  return new ApiError(call, answered, `${answer.status} ${code}: ${why}`)
}

function told(answer: Answer, problem: JsonObject | undefined): Omit<ErrorAnswer, 'code' | 'param'> {
  return {
    status: answer.status,
    requestId: text(answer.headers.get('request-id')) ?? text(problem?.requestId),
    retryAfterSeconds: retryAfterSeconds(answer.headers),
    body: answer.body,
  }
}

function withoutProblem({ status, headers, body }: Answer): string {
  // A browser shows a redirect as the status 0.
  if (status < 400) {
    return 'redirects are not followed. Set baseUrl to where the service is'
  }
  if (body === '') {
    return 'the body is empty'
  }
  return `the body is no problem document (${text(headers.get('content-type')) ?? 'no content type'})`
}

function toObject(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** One line of bounded length, so that a response cannot forge lines of a log. */
const printable = (message: string) => message.replace(/\p{C}|\p{Zl}|\p{Zp}/gu, ' ').slice(0, 300)
