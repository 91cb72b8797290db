import {
  type BodyProblem,
  ConfigurationError,
  fromBase64,
  type ReceiveRequest,
} from '../../src/adapter-port.js'

/**
 * The fields that this adapter reads from the event of each caller: API Gateway REST (payload 1.0) and HTTP (payload
 * 1.0 and 2.0), Application Load Balancer, Function URL (payload 2.0) and VPC Lattice (event 1.0 and 2.0).
 */
export interface LambdaEvent {
  readonly requestContext?: {
    readonly http?: { readonly method: string }
    readonly elb?: unknown
    /**
     * Not read. It is here because the published type of payload 1.0 needs a property in common with this one (TS2559).
     */
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

/** Recognizes payload 2.0 by `requestContext.http`, because events of other services have a field `version` too. */
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

/** All values of a header, in any case of its name. An array if the header was sent more than once. */
function valuesOf(headers: Single | Multiple, name: string): string | readonly string[] | undefined {
  const values = Object.entries(headers).flatMap(([key, value]) =>
    key.toLowerCase() === name ? (value ?? []) : [],
  )
  return values.length > 1 ? values : values[0]
}

const utf8 = new TextEncoder()

/** The exact bytes. They are lost if a middleware has parsed or decoded the body. */
function decodeBody(event: LambdaEvent, maxBytes: number): Uint8Array | BodyProblem {
  const { body } = event
  if (body === null || body === undefined) {
    return new Uint8Array(0)
  }
  if (typeof body !== 'string') {
    return 'body_already_read'
  }
  if (!(event.isBase64Encoded ?? event.is_base64_encoded)) {
    // A caller passes a body as text only if its bytes are UTF-8, so encoding it gives them back. If a middleware has changed the
    // text, the signature does not match.
    return utf8.encode(body)
  }
  // Four base64 digits are three bytes. This avoids decoding a body that is too large.
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

/** A load balancer passes the query as it arrived. The other callers decode it. */
function queryOf(event: LambdaEvent): string {
  const parameters = event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {}
  const pairs = Object.entries(parameters).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => [name, value]),
  )
  return event.requestContext?.elb
    ? pairs.map((pair) => pair.join('=')).join('&')
    : `${new URLSearchParams(pairs)}`.replaceAll('+', '%20')
}
