import type { Answer } from '../../src/adapter-port.js'
import type { LambdaEvent } from './lambda-event.js'

/** A response that the caller of the function understands. */
export interface LambdaResponse {
  statusCode: number
  /** For a load balancer only. */
  statusDescription?: string
  headers?: Record<string, string>
  /** For a load balancer with multi value headers only: it ignores `headers`. */
  multiValueHeaders?: Record<string, string[]>
  body: string
  isBase64Encoded: false
}

export function toResponse(result: Answer, event: LambdaEvent, method: string): LambdaResponse {
  const { status, headers } = result
  const isBalancer = event.requestContext?.elb !== undefined
  const lists = Object.entries(headers).map(([name, value]) => [name, [value]])
  return {
    statusCode: status,
    ...(isBalancer && { statusDescription: `${status} ${reasons[status]}` }),
    ...(isBalancer && event.multiValueHeaders
      ? { multiValueHeaders: Object.fromEntries(lists) }
      : { headers: { ...headers } }),
    // The gateway passes on the response of a function unchanged. A response to HEAD must not have a body (RFC 9110,
    // 9.3.2).
    body: method === 'HEAD' ? '' : result.body,
    isBase64Encoded: false,
  }
}

/** The reason phrases of the statuses that the receiver uses. */
const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}
