import { describe, expect, it } from 'vitest'
import { isEventPattern, wants } from '../../src/delivery/event-filter.js'
import {
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  type NewSubscription,
  readSubscription,
  SubscriptionError,
} from '../../src/delivery/subscriptions.js'
import { copySubscription, deliveryRig, receiver, settled } from './rig.js'

const url = 'http://127.0.0.1:3000/webhooks'

describe('a subscription', () => {
  it('is stored with its defaults, without duplicate types', () => {
    const rig = deliveryRig()
    const created = rig.subscribe({ url, events: ['transfer.*', 'ledger.matched', 'transfer.*'] })
    expect(created).toMatchObject({
      url,
      events: ['transfer.*', 'ledger.matched'],
      envelope: 'camelCase',
      status: 'enabled',
      description: undefined,
    })
    expect(created.id).toMatch(/^whe_/)
    expect(readSubscription(rig.database, created.id)).toEqual(created)
  })

  it('has a secret of its own that is the same at every start', () => {
    const secretsAt = (seed: number) => {
      const rig = deliveryRig({ seed })
      return [1, 2].map(() => rig.subscribe({ url, events: ['*'] }).secret)
    }
    const secrets = secretsAt(1)
    expect(secrets[0]).toMatch(/^whsec_local_[\w-]{32}$/)
    expect(secrets[0]).not.toBe(secrets[1])
    expect(secretsAt(1)).toEqual(secrets)
    expect(secretsAt(2)).not.toContain(secrets[0])
  })

  it('takes the secret that is given, then the one of the options', () => {
    const rig = deliveryRig({ secret: 'whsec_shared' })
    expect(rig.subscribe({ url, events: ['*'], secret: 'whsec_mine' }).secret).toBe('whsec_mine')
    expect(rig.subscribe({ url, events: ['*'] }).secret).toBe('whsec_shared')
  })

  it.each<[string, Partial<NewSubscription>]>([
    ['invalid_url', { url: 'http://169.254.169.254/' }],
    ['invalid_events', { events: [] }],
    ['invalid_events', { events: ['transfer.settled', ''] }],
    ['invalid_events', { events: ['transfer.*.x'] }],
    ['invalid_events', { events: ['**'] }],
    ['invalid_events', { events: ['x'.repeat(256)] }],
    ['invalid_events', { events: Array.from({ length: 101 }, (_, i) => `type.${i}`) }],
    ['invalid_description', { description: 'x'.repeat(256) }],
    ['invalid_secret', { secret: '' }],
    ['invalid_secret', { secret: ' whsec' }],
    ['invalid_secret', { secret: 'whsec\n' }],
  ])('is rejected as %s, and nothing is stored', (code, given) => {
    const rig = deliveryRig()
    const create = () => rig.subscribe({ url, events: ['*'], ...given })
    expect(create).toThrow(SubscriptionError)
    expect(create).toThrow(expect.objectContaining({ code, param: Object.keys(given)[0] }))
    expect(listSubscriptions(rig.database, { limit: 1 })).toEqual([])
  })

  it.each<[Partial<NewSubscription>, string]>([
    [{ url: 'http://10.0.0.1/' }, 'url: 10.0.0.1 is not on this machine, and http: is for loopback only'],
    [{ events: [] }, 'events must have 1 to 100 entries'],
    [{ events: ['a b'] }, '"a b" is no event type, prefix.* or *'],
    [{ events: ['x'.repeat(256)] }, `"${'x'.repeat(40)}" is no event type, prefix.* or *`],
    [{ description: 'x'.repeat(256) }, 'description must have at most 255 characters'],
    [{ secret: '' }, 'secret must be 1 to 255 visible ASCII characters without white space'],
  ])('with %j is told what to correct', (given, message) => {
    const create = () => deliveryRig().subscribe({ url, events: ['*'], ...given })
    expect(create).toThrow(expect.objectContaining({ name: 'SubscriptionError', message }))
  })

  it('is rejected beyond 10,000, until one is deleted', () => {
    const rig = deliveryRig()
    const create = () => createSubscription(rig, { url, events: ['*'] })
    const first = create()
    copySubscription(rig.database, 9998)
    create()
    expect(create).toThrow(expect.objectContaining({ code: 'too_many' }))
    deleteSubscription(rig, first.id)
    expect(create().id).not.toBe(first.id)
  })

  it('is listed page by page, the newest first', () => {
    const rig = deliveryRig()
    const ids = Array.from({ length: 5 }, () => rig.subscribe({ url, events: ['*'] }).id)
    const page = listSubscriptions(rig.database, { limit: 2 })
    rig.subscribe({ url, events: ['*'] })
    const next = listSubscriptions(rig.database, { limit: 10, before: page[1]?.seq })
    expect([...page, ...next].map(({ id }) => id)).toEqual(ids.toReversed())
  })

  it('that is deleted gets no more deliveries', async () => {
    const rig = deliveryRig({ retrySeconds: [0.01] })
    const failing = await receiver((response) => response.writeHead(500).end())
    const { id } = rig.subscribe({ url: failing.url, events: ['*'] })
    rig.record({ ...settled(), delaySeconds: 0.05 })
    expect(deleteSubscription(rig, id)).toBe(true)
    expect(deleteSubscription(rig, id)).toBe(false)
    rig.record(settled())
    await new Promise<void>((resolve) => {
      rig.clock.at(rig.clock.now() + 100, resolve)
    })
    await rig.courier.idle()
    expect(failing.received).toHaveLength(0)
  })
})

it.each([
  ['*', 'transfer.settled', true],
  ['transfer.*', 'transfer.settled', true],
  ['transfer.*', 'transfer.settled.twice', true],
  ['transfer.*', 'transfer.a', true],
  ['transfer.*', 'transfer', false],
  ['transfer.*', 'transfer.', false],
  ['transfer.*', 'transfers.settled', false],
  ['transfer.settled', 'transfer.settled', true],
  ['transfer.settled', 'transfer.settled.x', false],
  ['transfer.settled', 'transfer.Settled', false],
])('the pattern %s for %s: %s', (pattern, type, isWanted) => {
  expect(isEventPattern(pattern)).toBe(true)
  expect(wants([pattern], type)).toBe(isWanted)
})
