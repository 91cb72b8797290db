import { knownTypes, tamper } from 'webhook-inbox/testing'
import type { Case, Finding } from '../case.js'
import { clockSkew } from '../clock-skew.js'
import { type Endpoint, type EventOptions, otherSecret } from '../endpoint.js'
import { about, mustAcknowledge, mustSurvive, shouldAcknowledge, worst } from '../judge.js'
import { signatureOf, withHeader } from '../with-header.js'

/** Deliveries that a correct receiver acknowledges. */
export const accepts: readonly Case[] = [
  {
    id: 'valid-camel-case',
    title: 'a valid event in camelCase is acknowledged',
    rule: 'R60',
    sends: 'a signed event with createdAt and camelCase keys',
    advice:
      'Check the secret, the scheme, the clock, and that no body parser runs first. If the handler failed on the sample event, give one that it can process with --event.',
    run: (endpoint) => inEnvelope(endpoint, 'camelCase'),
  },
  {
    id: 'valid-snake-case',
    title: 'a valid event in snake_case is acknowledged',
    rule: 'R61',
    sends: 'a signed event with created_at and snake_case keys',
    advice:
      'Accept created_at, transfer_id and ledger_state, too. If your environment uses camelCase alone, pass --envelope camel.',
    run: (endpoint) => inEnvelope(endpoint, 'snake_case'),
  },
  {
    id: 'known-types',
    title: 'every event type of the interface is acknowledged',
    rule: 'R64',
    sends: `one event of each type: ${knownTypes.join(', ')}`,
    advice: 'Acknowledge types that you do not use, or the sender delivers them again and again.',
    run: (endpoint) =>
      each(
        endpoint,
        knownTypes.map((type) => [type, { type }]),
      ),
  },
  {
    id: 'unknown-type',
    title: 'an event of an unknown type is acknowledged',
    rule: 'R65',
    sends: 'events of the types evidence.exported and constructor',
    advice:
      'Acknowledge types that you do not know. Look handlers up by own property only: "constructor" is a valid type.',
    run: (endpoint) =>
      each(
        endpoint,
        ['evidence.exported', 'constructor'].map((type) => [type, { type }]),
      ),
  },
  {
    id: 'unknown-fields',
    title: 'unknown fields do no harm',
    rule: 'R6',
    sends: 'an event with more fields, one of them named __proto__',
    advice: 'Ignore fields that you do not know, and never copy an event over an object of yours.',
    run: async (endpoint) => {
      const { event, body } = await endpoint.event()
      const extra = '"livemode":false,"corridor":{"legs":[1,2]},"__proto__":{"isAdmin":true}'
      const extended = `{${extra},${body.toString().slice(1)}`
      return mustAcknowledge(await endpoint.deliver(await endpoint.sign(extended, event.id)))
    },
  },
  {
    id: 'old-event',
    title: 'an old event with a fresh signature is acknowledged',
    rule: 'R47',
    sends: 'an event that was created three days ago and is signed now, as a late retry is',
    advice: 'Judge freshness by t of the signature header, not by createdAt of the event.',
    run: async (endpoint) => {
      const createdAt = new Date(Date.now() - 3 * 86_400_000)
      return mustAcknowledge(await endpoint.deliver(await endpoint.event({ createdAt })))
    },
  },
  {
    id: 'within-tolerance',
    title: 'a delivery within the tolerance is acknowledged',
    rule: 'R50',
    sends: 'events that were signed half the tolerance ago and ahead',
    advice: 'Allow for slow networks and clocks that differ. Pass your own limit with --tolerance.',
    run: async (endpoint) => {
      const half = Math.floor(endpoint.toleranceSeconds / 2)
      const past = await endpoint.deliver(await endpoint.event({ ageSeconds: half }))
      const ahead = await endpoint.deliver(await endpoint.event({ ageSeconds: -half }))
      return worst([
        about(`${half} s ago`, shouldAcknowledge(past)),
        about(`${half} s ahead`, shouldAcknowledge(ahead)),
      ])
    },
  },
  {
    id: 'id-header-missing',
    title: 'a delivery without Service-Event-Id does not break the receiver',
    rule: 'R46',
    sends: 'a signed event without the Service-Event-Id header',
    advice: 'Take the id from the signed body, or answer 400.',
    run: async (endpoint) =>
      mustSurvive(await endpoint.deliver(tamper.dropHeader(await endpoint.event(), 'service-event-id'))),
  },
  {
    id: 'several-signatures',
    title: 'one correct signature among several is enough',
    rule: 'R44',
    sends: 'signatures with this secret and with another, in both orders, as during a rotation',
    advice: 'Compare every v1 of the header before you reject.',
    run: async (endpoint) => {
      const { secret } = endpoint.options
      const first = await endpoint.event({ secret: [secret, otherSecret(secret)] })
      const last = await endpoint.event({ secret: [otherSecret(secret), secret] })
      return worst([
        about('right one first', mustAcknowledge(await endpoint.deliver(first))),
        about('right one last', mustAcknowledge(await endpoint.deliver(last))),
      ])
    },
  },
  {
    id: 'other-tags',
    title: 'other tags beside v1 are ignored',
    rule: 'R75',
    sends: 'a right v1 between a v0 and a v2',
    advice: 'Split the header at commas and skip tags that you do not know.',
    run: async (endpoint) => {
      const delivery = await endpoint.event()
      const [time, ...signatures] = signatureOf(delivery).split(',')
      const header = [time, 'v0=abc', ...signatures, 'v2=def'].join(',')
      const request = withHeader(delivery, 'service-signature', header)
      return mustAcknowledge(await endpoint.request(request, delivery.body))
    },
  },
  {
    id: 'rotated-secret',
    title: 'a delivery that is signed with the old secret alone is acknowledged',
    rule: 'R44',
    sends: 'an event that is signed with the secret that is being rotated out',
    advice: 'Verify with both secrets until the sender has stopped using the old one.',
    needs: 'oldSecret',
    run: async (endpoint) => {
      const { oldSecret } = endpoint.options
      const delivery = await endpoint.event(oldSecret === undefined ? {} : { secret: oldSecret })
      return mustAcknowledge(await endpoint.deliver(delivery))
    },
  },
]

async function inEnvelope(endpoint: Endpoint, representation: 'camelCase' | 'snake_case'): Promise<Finding> {
  const { envelope = 'both' } = endpoint.options
  if (envelope !== 'both' && envelope !== representation) {
    return { verdict: 'skip', received: 'nothing was sent', why: `--envelope names ${envelope} alone` }
  }
  const exchange = await endpoint.deliver(await endpoint.event({ representation }))
  const found = mustAcknowledge(exchange)
  const skew = clockSkew(exchange, endpoint.toleranceSeconds)
  return found.verdict === 'pass' || skew === undefined ? found : { ...found, why: `${found.why}; ${skew}` }
}

async function each(
  endpoint: Endpoint,
  variants: readonly (readonly [name: string, event: EventOptions])[],
): Promise<Finding> {
  const findings: Finding[] = []
  for (const [name, event] of variants) {
    findings.push(about(name, mustAcknowledge(await endpoint.deliver(await endpoint.event(event)))))
  }
  return worst(findings)
}
