import type { Case, Finding } from '../case.js'
import type { Endpoint } from '../endpoint.js'
import { about, mustRefuse, worst } from '../judge.js'
import { signatureOf, withHeader } from '../with-header.js'

/** Signature headers that do not follow the grammar. The receiver must reject them and keep working. */
export const headers: readonly Case[] = [
  {
    id: 'malformed-header',
    title: 'a header that is not t=...,v1=... is rejected',
    rule: 'R45',
    sends: 'nothing, garbage, the signature without a t, and a t that is no number',
    advice: 'Reject what does not follow the grammar with 401. A parser must not throw past the route.',
    run: (endpoint) =>
      variants(endpoint, (header) => {
        const [time = '', signature = ''] = header.split(',')
        return [
          ['an empty header', ''],
          ['garbage', 'garbage'],
          ['commas and equals signs', ',=,==,'],
          ['no t', signature],
          ['an empty t', `t=,${signature}`],
          ['a t that is no number', `t=now,${signature}`],
          ['a negative t', `${time.replace('=', '=-')},${signature}`],
        ]
      }),
  },
  {
    id: 'no-signature-in-header',
    title: 'a header without a v1 is rejected',
    rule: 'R45',
    sends: 't alone, and an empty v1',
    advice: 'Reject a header without a signature: a loop over no signatures must not end in success.',
    run: (endpoint) =>
      variants(endpoint, (header) => {
        const [time = ''] = header.split(',')
        return [
          ['t alone', time],
          ['an empty v1', `${time},v1=`],
        ]
      }),
  },
  {
    id: 'other-tag-alone',
    title: 'a correct signature under another tag is rejected',
    rule: 'R75',
    sends: 'the right signature as v0 and as v2, without a v1',
    advice: 'Compare signatures of the tag v1 alone. Another tag means another scheme.',
    run: (endpoint) =>
      variants(endpoint, (header) => [
        ['v0', header.replace('v1=', 'v0=')],
        ['v2', header.replace('v1=', 'v2=')],
      ]),
  },
  {
    id: 'short-signature',
    title: 'a part of the right signature is rejected',
    rule: 'R48',
    sends: 'the first character, and all but the last two, of the right signature',
    advice: 'Compare all 32 bytes. timingSafeEqual throws for other lengths, so compare the lengths first.',
    run: (endpoint) =>
      variants(endpoint, (header) => {
        const start = header.indexOf('v1=') + 'v1='.length
        return [
          ['one character', header.slice(0, start + 1)],
          ['all but two characters', header.slice(0, -2)],
        ]
      }),
  },
  {
    id: 'undecodable-signature',
    title: 'a signature that cannot be decoded is rejected',
    rule: 'R48',
    sends: 'a v1 of the right length in characters that no encoding has',
    advice: 'Decode first, compare lengths, then compare in constant time. Reject what cannot be decoded.',
    run: (endpoint) =>
      variants(endpoint, (header) => {
        const [time = '', signature = ''] = header.split(',')
        return [['other characters', `${time},v1=${'!'.repeat(signature.length - 'v1='.length)}`]]
      }),
  },
  {
    id: 'long-header',
    title: 'a very long signature header is rejected',
    rule: 'I2',
    sends: 'a header of 6 KiB with many wrong signatures',
    advice: 'Bound the header to 4 KiB and 16 signatures, so that no one makes you compute without end.',
    run: (endpoint) =>
      variants(endpoint, (header) => {
        const [time] = header.split(',')
        const wrong = `v1=${'a'.repeat(64)}`
        return [['many signatures', [time, ...Array<string>(90).fill(wrong)].join(',')]]
      }),
  },
]

/** Sends one delivery with each header and reports the worst response. */
async function variants(
  endpoint: Endpoint,
  make: (header: string) => readonly (readonly [name: string, header: string])[],
): Promise<Finding> {
  const findings: Finding[] = []
  const delivery = await endpoint.event()
  for (const [name, header] of make(signatureOf(delivery))) {
    const request = withHeader(delivery, 'service-signature', header)
    findings.push(about(name, mustRefuse(await endpoint.request(request, delivery.body))))
  }
  return worst(findings)
}
