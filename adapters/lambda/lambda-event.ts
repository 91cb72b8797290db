import {
  type BodyProblem,
  ConfigurationError,
  fromBase64,
  type ReceiveRequest,
} from '../../src/adapter-port.js'

/**
 * What the callers of a function have in common, and no more than is read here: API Gateway REST (payload 1.0) and HTTP
 * (payload 1.0 and 2.0), Application Load Balancer, Function URL (payload 2.0) and VPC Lattice (event 1.0 and 2.0).
 */
export interface LambdaEvent {
  readonly requestContext?: {
    readonly http?: { readonly method: string }
    readonly elb?: unknown
    /** Not read. Without a property in common with payload 1.0 its published type would not fit here (TS2559). */
    readonly requestId?: string
  }
  /** Payload 1.0 and load balancer. */
  readonly httpMethod?: string
  /** Payload 1.0, load balancer and VPC Lattice 2.0. */
  readonly path?: string
  readonly multiValueHeaders?: Multiple | null | undefined
  /** VPC Lattice 2.0 gives a list for each name. */
  readonly queryStringParameters?: Single | Multiple | null | undefined
  readonly multiValueQueryStringParameters?: Multiple | null | undefined
  /** Payload 2.0. */
  readonly rawPath?: string
  readonly rawQueryString?: string
  /** VPC Lattice. */
  readonly method?: string
  /** VPC Lattice 1.0. */
  readonly raw_path?: string
  readonly is_base64_encoded?: boolean
  /** All. VPC Lattice 2.0 gives a list for each name. */
  readonly headers?: Single | Multiple | null | undefined
  readonly body?: string | null | undefined
  readonly isBase64Encoded?: boolean
}

type Single = { readonly [name: string]: string | undefined }
type Multiple = { readonly [name: string]: readonly string[] | undefined }

/** Payload 2.0 is known by `requestContext.http`: events of other services have a field `version` too. */
export function toRequest(event: LambdaEvent): ReceiveRequest & { readonly method: string } {
  const method = event?.requestContext?.http?.method ?? event?.httpMethod ?? event?.method
  if (typeof method !== 'string') {
    throw new ConfigurationError(
      'unsupported_event',
      'the event is not an HTTP request. Connect the function to API Gateway, a load balancer, a Function URL or VPC Lattice',
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
function decodeBody(event: LambdaEvent, maxBytes: number): Uint8Array | BodyProblem {
  const { body } = event
  if (body === null || body === undefined) {
    return new Uint8Array(0)
  }
  if (typeof body !== 'string') {
    return 'body_already_read'
  }
  if (!(event.isBase64Encoded ?? event.is_base64_encoded)) {
    return utf8.encode(body)
  }
  // Four digits hold three bytes: a body far too large is not worth decoding.
  if (body.length * 0.75 > maxBytes + 2) {
    return 'body_too_large'
  }
  return fromBase64(body) ?? 'body_already_read'
}

function urlOf(event: LambdaEvent): string | undefined {
  // VPC Lattice 1.0 keeps the query in its path.
  if (event.raw_path !== undefined) {
    return event.raw_path
  }
  const query = event.rawQueryString ?? queryOf(event)
  const path = event.rawPath ?? event.path
  return path === undefined ? undefined : path + (query && `?${query}`)
}

/** A load balancer hands the query over as it arrived; the others decode it. */
function queryOf(event: LambdaEvent): string {
  const parameters = event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {}
  const pairs = Object.entries(parameters).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => [name, value]),
  )
  return event.requestContext?.elb
    ? pairs.map((pair) => pair.join('=')).join('&')
    : `${new URLSearchParams(pairs)}`.replaceAll('+', '%20')
}
