import type { IncomingMessage, RequestListener } from 'node:http'
import type { ALBResult } from 'aws-lambda'

/**
 * Emulates the services that call a function on AWS, because there is no AWS here. It translates a real HTTP request into
 * the documented event and passes it through JSON. It checks the answer against the documented format and turns it into a
 * real HTTP answer. It shows nothing about AWS itself.
 */
export interface Caller {
  readonly name: string
  toEvent(request: Incoming): unknown
  /** Throws where the caller would answer 502 to the response of the function. */
  toAnswer(answer: ALBResult): { status: number; headers: Record<string, string>; body: string }
}

export interface Incoming {
  readonly method: string
  readonly path: string
  readonly query: string
  /** In the order they were sent, repeated names included. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | null
  readonly isBase64Encoded: boolean
}

export type LambdaFunction = (event: never) => Promise<unknown>

/** `asBinary` is what `binaryMediaTypes: ['*\/*']` does: every body arrives in base64. */
export function gateway(caller: Caller, handler: LambdaFunction, asBinary: boolean): RequestListener {
  return async (request, response) => {
    try {
      const event = caller.toEvent(await toIncoming(request, asBinary))
      const answer = await handler(JSON.parse(JSON.stringify(event)) as never)
      const { status, headers, body } = caller.toAnswer(JSON.parse(JSON.stringify(answer)) as ALBResult)
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
    } catch (error) {
      if (request.readableAborted) {
        return
      }
      response.writeHead(502).end(String(error))
    }
  }
}

export async function toIncoming(request: IncomingMessage, asBinary: boolean): Promise<Incoming> {
  const chunks: Buffer[] = []
  for await (const chunk of request) {
    chunks.push(chunk as Buffer)
  }
  const body = Buffer.concat(chunks)
  const isText = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|javascript|xml))/i.test(
    request.headers['content-type'] ?? 'text/plain',
  )
  const isBase64Encoded = body.length > 0 && (asBinary || !isText)
  const url = new URL(request.url ?? '/', 'http://localhost')
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.search.slice(1),
    headers: pairs(request.rawHeaders),
    body: body.length === 0 ? null : body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  }
}

export const pairs = (raw: readonly string[]) =>
  raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] as string] as const] : []))
