import { ConfigurationError } from '../../src/errors.js'
import type { BodyProblem, ReceiveRequest } from '../../src/request.js'
import { fromBase64 } from '../../src/signature/crypto/base64.js'

/**
 * What the four callers of a function have in common, and no more than is read: API Gateway REST (payload 1.0) and
 * HTTP (payload 1.0 and 2.0), Application Load Balancer, Function URL (payload 2.0).
 */
export interface LambdaEvent {
  readonly requestContext?: {
    readonly http?: { readonly method: string }
    readonly elb?: unknown
    /** Not read; without a property in common with payload 1.0 its published type would not fit here (TS2559). */
    readonly requestId?: string
  }
  /** Payload 1.0 and load balancer. */
  readonly httpMethod?: string
  readonly path?: string
  readonly multiValueHeaders?: Multiple | null | undefined
  readonly queryStringParameters?: Single | null | undefined
  readonly multiValueQueryStringParameters?: Multiple | null | undefined
  /** Payload 2.0. */
  readonly rawPath?: string
  readonly rawQueryString?: string
  /** All. */
  readonly headers?: Single | null | undefined
  readonly body?: string | null | undefined
  readonly isBase64Encoded?: boolean
}

type Single = { readonly [name: string]: string | undefined }
type Multiple = { readonly [name: string]: readonly string[] | undefined }

/** Payload 2.0 is told from the others by `requestContext.http`: a field `version` is in other services’ events too. */
export function toRequest(event: LambdaEvent): ReceiveRequest & { readonly method: string } {
  const method = event?.requestContext?.http?.method ?? event?.httpMethod
  if (typeof method !== 'string') {
    throw new ConfigurationError(
      'unsupported_event',
      'the event is not an HTTP request: connect the function to API Gateway, a load balancer or a Function URL',
    )
  }
  const headers = event.multiValueHeaders ?? event.headers ?? {}
  return {
    method,
    headers: (name) => valuesOf(headers, name),
    body: async (maxBytes) => decodeBody(event, maxBytes),
    url: urlOf(event),
    source: event,
  }
}

/** A header sent more than once is an array, however the caller spells and spreads its name. */
function valuesOf(headers: Single | Multiple, name: string): string | readonly string[] | undefined {
  const values = Object.entries(headers).flatMap(([key, value]) =>
    key.toLowerCase() === name ? (value ?? []) : [],
  )
  return values.length > 1 ? values : values[0]
}

const utf8 = new TextEncoder()

/** The exact bytes. A middleware that parses or decodes the body leaves something that they cannot be had from. */
function decodeBody({ body, isBase64Encoded }: LambdaEvent, maxBytes: number): Uint8Array | BodyProblem {
  if (body === null || body === undefined) return new Uint8Array(0)
  if (typeof body !== 'string') return 'body_already_read'
  if (!isBase64Encoded) return utf8.encode(body)
  // Four digits hold three bytes: a body far too large is not worth decoding.
  if (body.length * 0.75 > maxBytes + 2) return 'body_too_large'
  return fromBase64(body) ?? 'body_already_read'
}

function urlOf(event: LambdaEvent): string | undefined {
  const query = event.rawQueryString ?? queryOf(event)
  const path = event.rawPath ?? event.path
  return path === undefined ? undefined : path + (query && `?${query}`)
}

/** A load balancer hands the query over as it arrived; API Gateway decodes it. */
function queryOf(event: LambdaEvent): string {
  const parameters = event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {}
  const pairs = Object.entries(parameters).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => [name, value]),
  )
  return event.requestContext?.elb
    ? pairs.map((pair) => pair.join('=')).join('&')
    : `${new URLSearchParams(pairs)}`.replaceAll('+', '%20')
}
