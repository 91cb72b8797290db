import { describe, expect, it } from 'vitest'
import { attemptsOf } from '../../src/delivery/attempts.js'
import { type Delivery, listDeliveries } from '../../src/delivery/deliveries.js'
import { createSubscription } from '../../src/delivery/subscriptions.js'
import { checkTarget, targetProblem } from '../../src/delivery/target.js'
import { nameServer } from './name-server.js'
import { deliveryRig, receiver, settled } from './rig.js'

const local = { strictHttps: false, allowRemote: false }
const remote = { strictHttps: false, allowRemote: true }

const loopback = [
  'http://127.0.0.1/',
  'http://127.8.9.10:3000/hooks?tenant=1',
  'http://[::1]:3000/',
  'http://[::ffff:127.0.0.1]/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'https://127.0.0.1/',
]

const neverTargets = [
  // Metadata and link-local addresses, in every notation.
  'https://169.254.169.254/latest/meta-data',
  'https://169.254.1.1/',
  'https://2852039166/',
  'https://0xa9fea9fe/',
  'https://0xA9.0xFE.0xA9.0xFE/',
  'https://0251.0376.0251.0376/',
  'https://169.16689662/',
  'https://169.254.43518/',
  'https://169.254.169.254./',
  'https://%31%36%39.254.169.254/',
  'https://１６９.254.169.254/',
  'https://[::ffff:169.254.169.254]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[0:0:0:0:0:ffff:a9fe:a9fe]/',
  'https://[64:ff9b::169.254.169.254]/',
  'https://[64:ff9b:1::a9fe:a9fe]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[::169.254.169.254]/',
  'https://[::ffff:0:a9fe:a9fe]/',
  'https://[2002:a9fe:a9fe::]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:0:a9fe:a9fe::]/',
  'https://[fe80::1]/',
  'https://[febf::1]/',
  'https://[fd00:ec2::254]/',
  'https://100.100.100.200/',
  'https://168.63.129.16/',
  // Addresses that stand for no single host.
  'https://0.0.0.0/',
  'https://0/',
  'https://[::]/',
  'https://255.255.255.255/',
  'https://224.0.0.1/',
  'https://[ff02::1]/',
  'https://240.0.0.1/',
]

describe('a target', () => {
  it.each(loopback)('on loopback is allowed: %s', (url) => {
    expect(targetProblem(url, local)).toBeUndefined()
    expect(targetProblem(url, remote)).toBeUndefined()
  })

  it.each(neverTargets)('is rejected with --allow-remote too: %s', (url) => {
    expect(targetProblem(url, local)).toMatch(/never a target/)
    expect(targetProblem(url, remote)).toMatch(/never a target/)
    expect(targetProblem(url.replace('https:', 'http:'), remote)).toMatch(/never a target/)
  })

  it.each([
    'https://93.184.216.34/',
    'https://10.0.0.8/',
    'https://[2606:2800:220::1]/',
    'https://[fd12::1]/',
  ])('elsewhere needs --allow-remote: %s', (url) => {
    expect(targetProblem(url, local)).toMatch(/--allow-remote/)
    expect(targetProblem(url, remote)).toBeUndefined()
  })

  it('elsewhere is never reached over http:', () => {
    expect(targetProblem('http://93.184.216.34/', remote)).toMatch(/http: is for loopback only/)
  })

  it('must be https: with --strict-https, on loopback too', () => {
    expect(targetProblem('http://127.0.0.1/', { ...local, strictHttps: true })).toMatch(/must be https:/)
    expect(targetProblem('https://127.0.0.1/', { ...local, strictHttps: true })).toBeUndefined()
  })

  it.each([
    ['', /must be/],
    ['/webhooks', /must be/],
    ['ftp://127.0.0.1/', /must be/],
    ['file:///etc/passwd', /must be/],
    ['javascript:alert(1)', /must be/],
    ['https://', /must be/],
    ['http://user@127.0.0.1/', /credentials/],
    ['http://:secret@127.0.0.1/', /credentials/],
    [`http://127.0.0.1/${'x'.repeat(2048)}`, /at most 2048/],
  ])('that is no usable URL is rejected: %s', (url, problem) => {
    expect(targetProblem(url, remote)).toMatch(problem)
  })
})

describe('a name', () => {
  it('is resolved before an http: subscription, and must stand for loopback', async () => {
    const names = await nameServer('127.0.0.1')
    expect(await checkTarget('http://receiver.test/', local, names.resolve)).toBeUndefined()
    names.addresses = ['93.184.216.34']
    expect(await checkTarget('http://receiver.test/', local, names.resolve)).toMatch(/must be https:/)
    names.addresses = []
    expect(await checkTarget('http://receiver.test/', local, names.resolve)).toMatch(/must be https:/)
    expect(await checkTarget('http://localhost/', local)).toBeUndefined()
    expect(await checkTarget('http://169.254.169.254/', local)).toMatch(/never a target/)
  })

  it('is judged at every connection: rebinding to a metadata address sends nothing there', async () => {
    const names = await nameServer('127.0.0.1')
    const rig = deliveryRig({ resolve: names.resolve, retrySeconds: [3600] })
    const { url, received } = await receiver()
    rig.subscribe({ url: url.replace('127.0.0.1', 'rebind.test'), events: ['*'] })
    rig.record(settled())
    await rig.courier.idle()
    expect(received).toHaveLength(1)
    expect(received[0]?.headers.host).toMatch(/^rebind\.test:/)

    for (const addresses of [
      ['169.254.169.254'],
      ['127.0.0.1', '169.254.169.254'],
      ['0.0.0.0'],
      ['10.0.0.1'],
    ]) {
      names.addresses = addresses
      rig.record(settled())
      await rig.courier.idle()
      const [attempt] = attemptsOf(rig.database, listDeliveries(rig.database, { limit: 1 })[0] as Delivery)
      expect(attempt).toMatchObject({ failure: { kind: 'address_not_allowed' }, timings: {} })
      expect(attempt?.timings.connected).toBeUndefined()
    }
    expect(received).toHaveLength(1)
  })

  it('that resolves to the public is rejected without --allow-remote', async () => {
    const names = await nameServer('93.184.216.34')
    const rig = deliveryRig({ resolve: names.resolve, retrySeconds: [] })
    rig.subscribe({ url: 'https://receiver.test/', events: ['*'] })
    rig.record(settled())
    await rig.courier.idle()
    const [attempt] = attemptsOf(rig.database, listDeliveries(rig.database, { limit: 1 })[0] as Delivery)
    expect(attempt?.failure).toMatchObject({
      kind: 'address_not_allowed',
      message: expect.stringMatching(/receiver\.test resolves to 93\.184\.216\.34/),
    })
  })
})

it('a literal address is judged at the connection too, because a state file may be older than the flags', async () => {
  const rig = deliveryRig({ retrySeconds: [] })
  const allowing = { ...rig, options: { ...rig.options, allowRemote: true } }
  createSubscription(allowing, { url: 'https://93.184.216.34/', events: ['*'] })
  rig.record(settled())
  await rig.courier.idle()
  const [attempt] = attemptsOf(rig.database, listDeliveries(rig.database, { limit: 1 })[0] as Delivery)
  expect(attempt?.failure).toMatchObject({ kind: 'address_not_allowed' })
})

describe('a resolver of the user', () => {
  const given: [string, unknown][] = [
    ['no addresses', []],
    ['a text that is no address', [{ address: 'nonsense', family: 4 }]],
    ['an address in octal', [{ address: '0177.0.0.1', family: 4 }]],
    ['an object without an address', [{}]],
    ['null in its list', [null]],
    ['null', null],
    [
      'one good and one bad',
      [
        { address: '127.0.0.1', family: 4 },
        { address: '', family: 4 },
      ],
    ],
  ]
  it.each(given)('that gives %s makes the attempt fail with a code', async (_, addresses) => {
    const resolve = (_name: string, _options: object, done: (error: null, found: never) => void) =>
      done(null, addresses as never)
    const rig = deliveryRig({ resolve, retrySeconds: [] })
    rig.subscribe({ url: 'http://receiver.test:9/', events: ['*'] })
    rig.record(settled())
    await rig.courier.idle()
    const [delivery] = listDeliveries(rig.database, { limit: 1 })
    const [attempt] = attemptsOf(rig.database, delivery as Delivery)
    expect(attempt?.failure).toEqual({
      kind: 'name_not_resolved',
      code: 'ENOTFOUND',
      message: 'receiver.test resolves to no address',
    })
    expect(await checkTarget('http://receiver.test:9/', local, resolve)).toMatch(/resolves to no address/)
  })

  it('that throws makes the attempt fail with what it threw', async () => {
    const rig = deliveryRig({
      retrySeconds: [],
      resolve() {
        throw Object.assign(new Error('no resolver today'), { code: 'EAI_AGAIN' })
      },
    })
    rig.subscribe({ url: 'http://receiver.test:9/', events: ['*'] })
    rig.record(settled())
    await rig.courier.idle()
    const [delivery] = listDeliveries(rig.database, { limit: 1 })
    expect(delivery).toMatchObject({ state: 'exhausted', last: { failure: 'name_not_resolved' } })
  })
})
