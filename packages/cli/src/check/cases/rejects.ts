import { tamper } from 'webhook-inbox/testing'
import type { Case, Finding } from '../case.js'
import { type Endpoint, otherSecret } from '../endpoint.js'
import { mustRefuse } from '../judge.js'
import { signatureOf, withHeader } from '../with-header.js'

/** Deliveries that a correct receiver rejects from any sender. */
export const rejects: readonly Case[] = [
  {
    id: 'unsigned',
    title: 'a delivery without a signature is rejected',
    rule: 'R49',
    sends: 'a valid event without the Service-Signature header',
    advice: 'Answer 401 when the header is missing, before you read the event.',
    run: async (endpoint) =>
      refuses(endpoint, tamper.dropHeader(await endpoint.event(), 'service-signature')),
  },
  {
    id: 'wrong-secret',
    title: 'a signature of another secret is rejected',
    rule: 'R44',
    sends: 'an event that is signed with another secret',
    advice: 'Compare the HMAC-SHA256 of t, a dot and the raw body with each v1, in constant time.',
    run: async (endpoint) =>
      refuses(endpoint, await endpoint.event({ secret: otherSecret(endpoint.options.secret) })),
  },
  {
    id: 'tampered-body',
    title: 'a body that was changed after signing is rejected',
    rule: 'R48',
    sends: 'an event with one more field in its data, with the signature of the original',
    advice: 'Sign the whole body, not a part of it such as the id.',
    async run(endpoint) {
      const delivery = await endpoint.event()
      const text = delivery.body.toString().replace('"data":{', '"data":{"addedLater":true,')
      return refuses(endpoint, { ...delivery, body: Buffer.from(text) })
    },
  },
  {
    id: 'tampered-time',
    title: 'a timestamp that was changed after signing is rejected',
    rule: 'R50',
    sends: 'an event whose t was moved by one second, with the signature of the original t',
    advice: 'Make t a part of what is signed, or anyone can make an old delivery fresh.',
    async run(endpoint) {
      if (endpoint.options.scheme?.content === 'body') {
        return { verdict: 'skip', received: 'nothing was sent', why: 'this scheme does not sign t' }
      }
      return refuses(endpoint, tamper.timestamp(await endpoint.event()))
    },
  },
  {
    id: 'reserialized-body',
    title: 'a body that was parsed and serialized again is rejected',
    rule: 'R51',
    sends: 'a pretty-printed event with the signature of the minified one',
    advice: 'Verify the bytes as they arrive, before anything parses them.',
    run: async (endpoint) => refuses(endpoint, tamper.reserialize(await endpoint.event())),
  },
  {
    id: 'added-newline',
    title: 'a body with an added newline is rejected',
    rule: 'R51',
    sends: 'an event with a newline at its end, with the signature of the one without',
    advice: 'Do not trim the body before you verify it.',
    async run(endpoint) {
      const delivery = await endpoint.event()
      return refuses(endpoint, { ...delivery, body: Buffer.concat([delivery.body, Buffer.from('\n')]) })
    },
  },
  {
    id: 'stale',
    title: 'a delivery older than the tolerance is rejected',
    rule: 'R50',
    sends: 'an event that was signed one minute longer ago than the tolerance',
    advice:
      'Reject when t is further than the tolerance from your clock. Pass your own limit with --tolerance.',
    run: async (endpoint) =>
      refuses(endpoint, await endpoint.event({ ageSeconds: endpoint.toleranceSeconds + 60 })),
  },
  {
    id: 'future',
    title: 'a delivery too far in the future is rejected',
    rule: 'R50',
    sends: 'an event that was signed one minute further ahead than the tolerance',
    advice: 'Compare the absolute difference of t and your clock. Some libraries look back only.',
    run: async (endpoint) =>
      refuses(endpoint, await endpoint.event({ ageSeconds: -endpoint.toleranceSeconds - 60 })),
  },
  {
    id: 'id-mismatch',
    title: 'a Service-Event-Id that differs from the id of the body is rejected',
    rule: 'R46',
    sends: 'a signed event with another id in the Service-Event-Id header',
    advice: 'Answer 400. Never recognize duplicates by this header alone: it is not signed.',
    async run(endpoint) {
      const delivery = await endpoint.event()
      return refuses(endpoint, await endpoint.sign(delivery.body, `${delivery.event.id}x`))
    },
  },
  {
    id: 'sandbox-event',
    title: 'an event of the sandbox is rejected in production',
    rule: 'I17',
    sends: 'a signed event whose environment is sandbox',
    advice: 'Reject environments that this endpoint does not serve.',
    needs: 'production',
    run: async (endpoint) =>
      refuses(endpoint, await endpoint.event({ representation: 'camelCase', environment: 'sandbox' })),
  },
  {
    id: 'repeated-header',
    title: 'two signature headers are rejected',
    rule: 'I2',
    sends: 'a fresh t with a wrong signature on one line, a stale one with its right signature on another',
    advice: 'Reject a repeated header. Node joins both lines into one string; rawHeaders keeps them apart.',
    async run(endpoint) {
      const { delivery, fresh, stale } = await freshAndStale(endpoint)
      const request = withHeader(delivery, 'service-signature', [fresh, stale])
      return mustRefuse(await endpoint.request(request, delivery.body))
    },
  },
  {
    id: 'two-timestamps',
    title: 'a signature header with two timestamps is rejected',
    rule: 'I2',
    sends: 'a stale t with its right signature and a fresh t behind it, in one header',
    advice: 'Reject a header with more than one t, or an old delivery can be made fresh.',
    async run(endpoint) {
      const { delivery, fresh, stale } = await freshAndStale(endpoint)
      const header = `${stale},${fresh.split(',')[0]}`
      const request = withHeader(delivery, 'service-signature', header)
      return mustRefuse(await endpoint.request(request, delivery.body))
    },
  },
]

const refuses = async (endpoint: Endpoint, delivery: Parameters<Endpoint['deliver']>[0]): Promise<Finding> =>
  mustRefuse(await endpoint.deliver(delivery))

/** Header values for one body: fresh and wrong, stale and right. */
async function freshAndStale(endpoint: Endpoint) {
  const delivery = await endpoint.event()
  const old = { ageSeconds: endpoint.toleranceSeconds + 60 }
  const stale = await endpoint.sign(delivery.body, delivery.event.id, old)
  return { delivery, fresh: signatureOf(tamper.signature(delivery)), stale: signatureOf(stale) }
}
