import { describe, expect, it } from 'vitest'
import { doubtfulFields } from '../../src/send/doubtful-field.js'
import { setFields } from '../../src/send/set-fields.js'

describe('--set', () => {
  it.each<[string, object]>([
    ['a=1', { a: 1, o: { x: 1 }, t: 'text' }],
    ['o.x=2', { o: { x: 2 }, t: 'text' }],
    ['o.y=z', { o: { x: 1, y: 'z' }, t: 'text' }],
    ['n.e.w=null', { o: { x: 1 }, t: 'text', n: { e: { w: null } } }],
    ['t=a=b', { o: { x: 1 }, t: 'a=b' }],
    ['t=', { o: { x: 1 }, t: '' }],
    ['t="9"', { o: { x: 1 }, t: '9' }],
    ['t={"a":[1]}', { o: { x: 1 }, t: { a: [1] } }],
    ['t={', { o: { x: 1 }, t: '{' }],
    ['toString.x=1', { o: { x: 1 }, t: 'text', toString: { x: 1 } }],
  ])('%s', (field, changed) => {
    const event = { o: { x: 1 }, t: 'text' }
    expect(setFields(event, [field])).toEqual(changed)
    expect(event).toEqual({ o: { x: 1 }, t: 'text' })
  })

  it('sets several fields, in order', () => {
    expect(setFields({}, ['a.b=1', 'a.c=2', 'a.b=3'])).toEqual({ a: { b: 3, c: 2 } })
    expect(setFields({ list: [1, 2] }, ['list.1=9'])).toEqual({ list: [1, 9] })
  })

  it('sets a field named __proto__ as any other', () => {
    const changed = setFields({}, ['__proto__.isAdmin=true'])
    expect(JSON.stringify(changed)).toBe('{"__proto__":{"isAdmin":true}}')
    expect({}).not.toHaveProperty('isAdmin')
    expect(Object.getOwnPropertyDescriptor(setFields({}, ['a=1']), 'a')).toEqual({
      value: 1,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  })

  it.each(['', 'a', '=1', '.a=1', 'a.=1', 'a..b=1'])('rejects %j', (field) => {
    expect(() => setFields({}, [field])).toThrow(
      expect.objectContaining({
        name: 'UsageError',
        message: '--set must be a path and a value: --set data.transferId=tr_9',
      }),
    )
  })

  it.each([
    ['t.x=1', '--set t.x: t is not an object'],
    ['o.x.y.z=1', '--set o.x.y.z: o.x is not an object'],
    ['n.x=1', '--set n.x: n is not an object'],
  ])('rejects %s, which goes through a text', (field, message) => {
    expect(() => setFields({ o: { x: 1 }, t: 'text', n: null }, [field])).toThrow(
      expect.objectContaining({ name: 'UsageError', message }),
    )
  })
})

describe('a field that no receiver reads', () => {
  const event = { id: 'evt_1', tenant: 'a', data: { amount: 1, typ: 2 } }
  const doubt = (path: string, meant: string) =>
    `--set ${path}: an event has no field ${path.split('.')[0]} beside its data; did you mean --set ${meant}=...?`

  it.each([
    ['amount=1', doubt('amount', 'data.amount')],
    ['amount.value=1=2', doubt('amount.value', 'data.amount.value')],
    ['enviroment=live', doubt('enviroment', 'environment')],
    ['typ=x', doubt('typ', 'data.typ')],
    ['other=x', doubt('other', 'data.other')],
  ])('%s is doubted', (field, warning) => {
    expect(doubtfulFields(event, [field])).toEqual([warning])
  })

  it.each([
    'id',
    'type',
    'createdAt',
    'created_at',
    'data.x',
    'environment',
    'product',
    'tenant',
    'tenant.x',
  ])('%s is not', (path) => {
    expect(doubtfulFields(event, [`${path}=1`])).toEqual([])
  })

  it('is doubted in an event without data too', () => {
    for (const data of [undefined, null, 'text']) {
      expect(doubtfulFields({ data }, ['length=1', 'a=1'])).toEqual([
        doubt('length', 'data.length'),
        doubt('a', 'data.a'),
      ])
    }
  })
})
