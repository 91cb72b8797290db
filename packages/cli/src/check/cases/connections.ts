import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Case, Finding } from '../case.js'
import type { Endpoint } from '../endpoint.js'
import { about, mustAcknowledge, pass, shouldRefuse, worst } from '../judge.js'

/** Ways to send a request that HTTP allows, and connections that break. */
export const connections: readonly Case[] = [
  {
    id: 'https',
    title: 'the endpoint is reached over HTTPS',
    rule: 'R8',
    sends: 'nothing; the case looks at the URL',
    advice: 'Serve the endpoint over HTTPS. Leave the case out with --skip https where a proxy does that.',
    run: ({ options: { url } }) => {
      const received = `the URL starts with ${url.protocol}//`
      if (url.protocol === 'https:') {
        return { verdict: 'pass', received }
      }
      if (!isLoopback(url)) {
        return { verdict: 'fail', received, why: 'anyone on the way reads the events' }
      }
      return { verdict: 'pass', received, why: 'plain http is fine on this machine alone' }
    },
  },
  {
    id: 'other-methods',
    title: 'methods other than POST are rejected',
    rule: 'R53',
    sends: 'a GET, a HEAD, and a PUT that carries a signed event',
    advice: 'Answer 405 with Allow: POST.',
    run: async (endpoint) => {
      const { headers, body } = await endpoint.event()
      const get = await endpoint.request({ method: 'GET', headers: {} })
      const head = await endpoint.request({ method: 'HEAD', headers: {} })
      const put = await endpoint.request({ method: 'PUT', headers, body }, body)
      return worst([
        about('GET', refusedMethod(get)),
        about('HEAD', refusedMethod(head)),
        about('PUT', refusedMethod(put)),
      ])
    },
  },
  {
    id: 'content-type-parameters',
    title: 'a content type with a charset is accepted',
    rule: 'I5',
    sends: 'a signed event as application/json; charset=utf-8',
    advice: 'Compare the media type without its parameters.',
    async run(endpoint) {
      const { headers, body } = await endpoint.event()
      const type = 'application/json; charset=utf-8'
      const request = { headers: { ...headers, 'content-type': type }, body }
      return mustAcknowledge(await endpoint.request(request, body))
    },
  },
  {
    id: 'chunked',
    title: 'a chunked body is accepted',
    rule: 'R80',
    sends: 'a signed event in three chunks without Content-Length',
    advice: 'Read the body to its end. Do not rely on Content-Length.',
    run: (endpoint) => inPieces(endpoint, 3, { isChunked: true }),
  },
  {
    id: 'expect-continue',
    title: 'a sender that waits for 100 Continue gets it',
    rule: 'R80',
    sends: 'a signed event with Expect: 100-continue',
    advice: 'Let the server answer 100 Continue, as Node does unless you listen for checkContinue.',
    run: (endpoint) => inPieces(endpoint, 1, { expectsContinue: true }),
  },
  {
    id: 'slow-upload',
    title: 'the receiver waits for a slow upload',
    rule: 'R80',
    sends: 'a signed event in eight pieces over two seconds',
    advice: 'Do not limit the upload to less than a few seconds.',
    run: (endpoint) => inPieces(endpoint, 8, { pauseSeconds: 0.25 }),
  },
  {
    id: 'aborted-upload',
    title: 'an interrupted upload does not break the receiver',
    rule: 'R80',
    sends: 'half of a signed event, then the whole event on a new connection',
    advice: 'Listen for errors of the request stream, and act on a body only when it is complete.',
    async run(endpoint) {
      const { headers, body } = await endpoint.event()
      for (const declaredBytes of [body.length, undefined]) {
        const pieces = [body.subarray(0, body.length >> 1)]
        const upload = { pieces, declaredBytes, pauseSeconds: 0.05, aborts: true }
        await endpoint.request({ headers, body: upload })
      }
      return mustAcknowledge(await endpoint.deliver({ headers, body }))
    },
  },
  {
    id: 'connection-reuse',
    title: 'a connection works for the next delivery after a rejected one',
    rule: 'R80',
    sends: 'an unsigned event and then a signed one on the same connection',
    advice: 'Read or close a body that you reject, or its rest is taken for the next request.',
    async run(endpoint) {
      const isTls = endpoint.options.url.protocol === 'https:'
      const agent = new (isTls ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 1 })
      try {
        const { headers, body } = await endpoint.event()
        const type = { 'content-type': 'application/json' }
        await endpoint.request({ headers: type, body, agent }, body)
        return mustAcknowledge(await endpoint.request({ headers, body, agent }, body))
      } finally {
        agent.destroy()
      }
    },
  },
]

/** 501 is a correct response to an unknown method, not an error. */
function refusedMethod(exchange: Parameters<typeof shouldRefuse>[0]): Finding {
  return exchange.kind === 'answer' && exchange.status === 501 ? pass(exchange) : shouldRefuse(exchange)
}

async function inPieces(
  endpoint: Endpoint,
  count: number,
  how: {
    readonly isChunked?: boolean
    readonly pauseSeconds?: number
    readonly expectsContinue?: boolean
  },
): Promise<Finding> {
  const { headers, body } = await endpoint.event()
  const { isChunked, ...rest } = how
  const size = Math.ceil(body.length / count)
  const pieces = Array.from({ length: count }, (_, i) => body.subarray(i * size, (i + 1) * size))
  const upload = { pieces, declaredBytes: isChunked ? undefined : body.length, ...rest }
  return mustAcknowledge(await endpoint.request({ headers, body: upload }, body))
}

export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
