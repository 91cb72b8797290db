import { describe, expect, it } from 'vitest'
import { shapeOf, withInner } from '../../src/operations/data-shape.js'
import { compareShapes } from '../../src/operations/shape-changes.js'
import { open } from '../stores/sqlite-rig.js'
import { delivery, settled } from './deliver.js'
import { invalid, operationsRig } from './operations-rig.js'

const { file, receiverOf } = operationsRig()

const compared = (before: unknown, after: unknown, ...older: unknown[]) =>
  compareShapes(shapeOf(before), shapeOf(after), older.map(shapeOf))

describe('the changes of a shape', () => {
  it.each<[string, unknown, unknown, unknown[]]>([
    ['nothing', { a: 1, b: [null] }, { a: 2, b: [null, null] }, []],
    [
      'the type of a list that held elements of one type',
      { a: [1, 2] },
      { a: [1, 'b'] },
      [{ change: 'type', path: 'data.a[]', before: 'number', type: 'several types' }],
    ],
    ['no type of a list that held several', { a: [1, 'b', 2] }, { a: ['b', 1] }, []],
    [
      'a renamed object once, and no field of it',
      { a: { b: 1, c: [{ d: true }] }, e: 1 },
      { f: { b: 1, c: [{ d: true }] }, e: 1 },
      [{ change: 'renamed', path: 'data.f', before: 'data.a', type: 'object' }],
    ],
    [
      'two fields of different objects, which are not one field with a new name',
      { a: { x: 1 }, b: {} },
      { a: {}, b: { y: 1 } },
      [
        { change: 'missing', path: 'data.a.x', type: 'number' },
        { change: 'added', path: 'data.b.y', type: 'number' },
      ],
    ],
    [
      'two missing fields, of which either could have the new name',
      { a: 1, b: 1 },
      { c: 1 },
      [
        { change: 'missing', path: 'data.a', type: 'number' },
        { change: 'missing', path: 'data.b', type: 'number' },
        { change: 'added', path: 'data.c', type: 'number' },
      ],
    ],
    [
      'an object that became a list, and no new name',
      { a: { b: 1 } },
      { a: [1] },
      [
        { change: 'type', path: 'data.a', before: 'object', type: 'array' },
        { change: 'missing', path: 'data.a.b', type: 'number' },
        { change: 'added', path: 'data.a[]', type: 'number' },
      ],
    ],
    [
      'a list that became an object, and no new name',
      ['text'],
      { '[]': 'text' },
      [
        { change: 'type', path: 'data', before: 'array', type: 'object' },
        { change: 'missing', path: 'data[]', type: 'string' },
        { change: 'added', path: 'data.[]', type: 'string' },
      ],
    ],
    [
      'the data itself',
      [1],
      'text',
      [
        { change: 'type', path: 'data', before: 'array', type: 'string' },
        { change: 'missing', path: 'data[]', type: 'number' },
      ],
    ],
  ])('name %s', (_, before, after, changes) => {
    expect(compared(before, after)).toEqual(changes)
  })

  it('end at twelve levels, and name what differs above', () => {
    const nested = (levels: number, inside: unknown): unknown =>
      levels === 0 ? inside : { a: nested(levels - 1, inside) }
    const path = `data${'.a'.repeat(12)}`
    expect(compared(nested(12, 1), nested(12, 'b'))).toEqual([
      { change: 'type', path, before: 'number', type: 'string' },
    ])
    expect(compared(nested(13, 1), nested(13, 'b'))).toEqual([])
  })

  it('are found among the first 2000 paths', () => {
    const wide = (last: unknown) =>
      Object.fromEntries(Array.from({ length: 1999 }, (_, i) => [`f${i}`, i === 1998 ? last : 1]))
    expect(compared(wide(1), wide('b'))).toEqual([
      { change: 'type', path: 'data.f1998', before: 'number', type: 'string' },
    ])
    expect(withInner([shapeOf({ ...wide(1), more: 1, most: 1 })])).toHaveLength(2000)
  })
})

describe('an event is compared with', () => {
  const type = 'any'
  const inline = (endpoint = 'default') => receiverOf(endpoint, { queue: undefined })
  const handle = async (id: string, data: object, over: object = {}, receiver = inline()) =>
    expect(await receiver.receive(await delivery({ ...settled, type, id, data, ...over }))).toMatchObject({
      outcome: 'processed',
    })
  const changesOf = async (id: string) =>
    (await receiverOf('default').shapeChanges(id)).map(({ change, path }) => `${change} ${path}`)

  it('the newest done event of its type and endpoint, except itself', async () => {
    await handle('evt_old', { old: 1 })
    await handle('evt_new', { new: 1 })
    await handle('evt_other', { other: 1 }, { type: 'other' })
    await handle('evt_elsewhere', { elsewhere: 1 }, {}, inline('elsewhere'))
    const waiting = await delivery({ ...settled, type, id: 'evt_waiting', data: { waiting: 1 } })
    expect(await receiverOf('default').receive(waiting)).toMatchObject({ outcome: 'accepted' })
    await handle('evt_self', { self: 1 })
    expect(await changesOf('evt_self')).toEqual(['missing data.new', 'added data.self'])
    expect(await changesOf('evt_other')).toEqual([])
  })

  it('ten more, so a field that the tenth lacks is not renamed', async () => {
    await handle('evt_0', { b: 1 })
    for (let i = 1; i < 10; i++) {
      await handle(`evt_${i}`, { a: 1 })
    }
    await handle('evt_bad', { b: 1 })
    expect(await changesOf('evt_bad')).toEqual(['missing data.a', 'added data.b'])
    await handle('evt_10', { a: 1 })
    expect(await changesOf('evt_bad')).toEqual(['renamed data.b'])
  })

  it('no shape of its own if its body is not JSON, and not at all if it is unknown', async () => {
    await handle('evt_good', { a: 1 })
    await handle('evt_bad', { a: 1 })
    const database = open(file())
    for (const body of ['{', 'null']) {
      database.exec(`UPDATE webhook_inbox_events SET body = CAST('${body}' AS BLOB) WHERE id = 'evt_bad'`)
      expect(await changesOf('evt_bad')).toEqual(['type data', 'missing data.a'])
    }
    database.close()
    await expect(changesOf('evt_none')).rejects.toMatchObject({
      ...invalid,
      code: 'event_not_found',
      message: expect.stringContaining('no event evt_none is kept'),
    })
  })
})
