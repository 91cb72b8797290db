import type { LookupAddress } from 'node:dns'
import { describe, expect, it } from 'vitest'
import {
  addressProblem,
  guardedLookup,
  literalAddress,
  type Resolve,
} from '../../src/delivery/address-guard.js'
import { AttemptTimeout, failureOf } from '../../src/delivery/failure.js'
import { retryAfterSeconds } from '../../src/delivery/retry-after.js'
import type { NewSubscription } from '../../src/delivery/subscriptions.js'
import { targetProblem } from '../../src/delivery/target.js'
import { deliveryRig, receiver, settled } from './rig.js'

const url = 'http://127.0.0.1:3000/webhooks'
const local = { strictHttps: false, allowRemote: false }
const remote = { ...local, allowRemote: true }

describe('a failure', () => {
  it.each([
    ['attempt_timeout', 'timeout'],
    ['address_not_allowed', 'address_not_allowed'],
    ['ECONNREFUSED', 'refused'],
    ['ECONNRESET', 'reset'],
    ['ECONNABORTED', 'reset'],
    ['EPIPE', 'reset'],
    ['ETIMEDOUT', 'timeout'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ENETUNREACH', 'unreachable'],
    ['EADDRNOTAVAIL', 'unreachable'],
    ['ENOTFOUND', 'name_not_resolved'],
    ['EAI_AGAIN', 'name_not_resolved'],
    ['EPROTO', 'tls'],
    ['HPE_INVALID_CONSTANT', 'invalid_answer'],
    ['XHPE_INVALID', 'other'],
    ['CERT_HAS_EXPIRED', 'certificate'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['ERR_TLS_HANDSHAKE_TIMEOUT', 'tls'],
    ['toString', 'other'],
    ['EMFILE', 'other'],
  ])('with the code %s is of the kind %s', (code, kind) => {
    const error = Object.assign(new Error('the words of the system'), { code })
    expect(failureOf(error)).toEqual({ kind, code, message: 'the words of the system' })
  })

  it('without words has its code, and without a code still says something', () => {
    expect(failureOf(Object.assign(new Error(), { code: 'EMFILE' }))).toMatchObject({ message: 'EMFILE' })
    expect(failureOf(new Error())).toEqual({ kind: 'other', code: undefined, message: 'unknown error' })
    expect(failureOf(new AttemptTimeout('late'))).toMatchObject({ kind: 'timeout', code: 'attempt_timeout' })
  })
})

describe('Retry-After', () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 0)
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37],
    ['Sun Nov  6 08:49:37 1994 GMT', 37],
    ['06 Nov 1994 08:49:37 GMT', undefined],
    ['Sun, 06 Nov 1994', undefined],
    ['7s', undefined],
    ['s7', undefined],
    ['86400', 86_400],
    ['86401', 86_400],
    [undefined, undefined],
  ])('%s asks for %d s', (value, seconds) => {
    expect(retryAfterSeconds(value, now)).toBe(seconds)
  })
})

describe('a subscription', () => {
  it.each<[what: string, given: Partial<NewSubscription>]>([
    ['100 patterns', { events: Array.from({ length: 100 }, (_, at) => `type.n${at}`) }],
    ['a pattern of 255 characters', { events: ['x'.repeat(255)] }],
    ['a description of 255 characters', { description: 'x'.repeat(255) }],
    ['an empty description', { description: '' }],
    ['a secret of 255 characters', { secret: '~'.repeat(255) }],
    ['a secret of one character', { secret: '!' }],
    ['a type with each sign', { events: ['A-z_0.b-1.*'] }],
  ])('may have %s', (_, given) => {
    expect(deliveryRig().subscribe({ url, events: ['*'], ...given })).toMatchObject(given)
  })

  it.each(['a..b', '.a', 'a.', '*.a', 'a.*.b', 'a*', '', 'ä', 'a.*.*'])(
    'may not have the pattern %j',
    (pattern) => {
      expect(() => deliveryRig().subscribe({ url, events: [pattern] })).toThrow(
        expect.objectContaining({ code: 'invalid_events' }),
      )
    },
  )

  it('beyond the limit is told to delete one', async () => {
    const rig = deliveryRig()
    rig.subscribe({ url, events: ['*'] })
    rig.database
      .prepare(
        `WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < 9999)
         INSERT INTO subscriptions (id, url, events, envelope, secret, status, created_at)
         SELECT id || n, url, events, envelope, secret, status, created_at FROM subscriptions, copy`,
      )
      .run()
    expect(() => rig.subscribe({ url, events: ['*'] })).toThrow(
      expect.objectContaining({
        code: 'too_many',
        param: undefined,
        message: 'at most 10000 subscriptions exist at a time; delete one first',
      }),
    )
  })
})

describe('a target', () => {
  it.each([
    ['a URL of 2048 characters', `https://example.com/${'x'.repeat(2028)}`, undefined],
    ['a longer URL', `https://example.com/${'x'.repeat(2029)}`, 'must have at most 2048 characters'],
    ['no URL', 'example', 'must be an https: URL, or http: on loopback'],
    ['another protocol', 'ftp://127.0.0.1/', 'must be an https: URL, or http: on loopback'],
    ['a user', 'https://ada@example.com/', 'must not contain credentials'],
    ['a password', 'https://:pw@example.com/', 'must not contain credentials'],
    [
      'http: elsewhere',
      'http://10.0.0.1/',
      '10.0.0.1 is not on this machine, and http: is for loopback only',
    ],
    ['a metadata address', 'https://169.254.169.254/', '169.254.169.254 is never a target'],
    ['a private address', 'https://10.0.0.1/', undefined],
    ['a shared address', 'https://100.64.0.1/', undefined],
    ['a unique local address', 'https://[fd12::1]/', undefined],
    ['a global address', 'https://[2606:4700::1]/', undefined],
    ['an address outside of the global ones', 'https://[4000::1]/', '4000::1 is never a target'],
    ['a public address behind NAT64', 'https://[64:ff9b::8.8.8.8]/', undefined],
    ['loopback behind NAT64', 'https://[64:ff9b::127.0.0.1]/', '64:ff9b::7f00:1 is never a target'],
  ])('%s', (_, target, problem) => {
    expect(targetProblem(target, remote)).toBe(problem)
  })

  it('with https: elsewhere needs a flag, and http: may be forbidden everywhere', () => {
    expect(targetProblem('https://10.0.0.1/', local)).toBe(
      '10.0.0.1 is not on this machine; start with --allow-remote',
    )
    expect(targetProblem(url, { ...local, strictHttps: true })).toBe(
      'must be https:, because of --strict-https',
    )
    expect(targetProblem('https://localhost/', { ...local, strictHttps: true })).toBeUndefined()
    expect(addressProblem('127.0.0.1', 'http:', local)).toBeUndefined()
  })

  it.each([
    ['http://a.localhost:80/', 'must not be this sandbox'],
    ['http://alocalhost:80/', undefined],
    ['http://localhost.example:80/', undefined],
    ['https://10.0.0.1:80/', undefined],
  ])('%s at the port of the sandbox: %s', (target, problem) => {
    expect(targetProblem(target, { ...remote, ownPort: () => 80 })).toBe(problem)
  })

  it.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://[::1]/', '::1'],
    ['http://localhost/', undefined],
    ['http://127.0.0.1.example/', undefined],
  ])('%s names the address %s', (target, address) => {
    expect(literalAddress(new URL(target))).toBe(address)
  })
})

describe('a name', () => {
  const found: LookupAddress[] = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
  const lookup = (options: object, resolve: Resolve) =>
    new Promise<unknown[]>((settle) => {
      guardedLookup('http:', local, resolve)('receiver.test', options as never, (...given) => settle(given))
    })

  it('is resolved to all its addresses, and a socket that wants one gets the first', async () => {
    const asked: unknown[] = []
    const resolve: Resolve = (name, options, done) => {
      asked.push([name, options])
      done(null, found)
    }
    expect(await lookup({ all: true, hints: 1 }, resolve)).toEqual([null, found])
    expect(await lookup({ all: false }, resolve)).toEqual([null, '127.0.0.1', 4])
    expect(asked).toEqual([
      ['receiver.test', { all: true, hints: 1 }],
      ['receiver.test', { all: true }],
    ])
  })

  it('is rejected if one of its addresses is', async () => {
    const resolve: Resolve = (_, __, done) => done(null, [...found, { address: '10.0.0.1', family: 4 }])
    expect(await lookup({ all: true }, resolve)).toEqual([
      expect.objectContaining({
        code: 'address_not_allowed',
        message: 'receiver.test resolves to 10.0.0.1 is not on this machine, and http: is for loopback only',
      }),
      [],
    ])
  })

  it('that is not resolved has the error of the resolver', async () => {
    const error = new Error('no such name')
    expect(await lookup({ all: true }, (_, __, done) => done(error, []))).toEqual([error, []])
    const thrown = () => {
      throw error
    }
    expect(await lookup({ all: true }, thrown)).toEqual([error, []])
  })
})

it('a delivery has these headers, in this order', async () => {
  const rig = deliveryRig()
  const { url: target, received } = await receiver()
  rig.subscribe({ url: target, events: ['*'] })
  const [event] = rig.record(settled())
  await rig.courier.idle()
  const [{ rawHeaders = [], body } = {}] = received
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1]]] : []))
  expect(pairs).toEqual([
    ['Host', new URL(target).host],
    ['Content-Type', 'application/json'],
    ['Content-Length', String(body?.length)],
    ['User-Agent', 'webhook-inbox-sandbox'],
    ['Service-Event-Id', event?.id],
    ['Service-Signature', expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/)],
    ['Connection', 'close'],
  ])
})
