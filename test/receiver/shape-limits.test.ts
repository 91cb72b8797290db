import { expect, it } from 'vitest'
import { shapeOf } from '../../src/operations/data-shape.js'
import { compareShapes } from '../../src/operations/shape-changes.js'
import { delivery, settled } from './deliver.js'
import { operationsRig } from './operations-rig.js'

const { receiverOf } = operationsRig()

const compared = (before: unknown, after: unknown) => compareShapes(shapeOf(before), shapeOf(after))
const ones = (count: number) => Array.from({ length: count }, () => 1)

it.each([
  [99, `.${'x'.repeat(99)}`],
  [100, `.${'x'.repeat(99)}…`],
])('a name of %d characters is cut only if it is longer than 99', (length, step) => {
  expect(compared({}, { ['x'.repeat(length)]: 1 })).toEqual([
    { change: 'added', path: `data${step}`, type: 'number' },
  ])
})

it('elements of a list after the first 2000 have no part in its shape, less those that wait for their turn', () => {
  expect(compared([1], [...ones(1999), 'b'])).toMatchObject([{ type: 'several types' }])
  expect(compared([1], [...ones(2000), 'b'])).toEqual([])
  const beside = (list: unknown[]) => ({ a: list, b: 1 })
  expect(compared(beside([1]), beside([...ones(1998), 'b']))).toMatchObject([{ type: 'several types' }])
  expect(compared(beside([1]), beside([...ones(1999), 'b']))).toEqual([])
})

it('one success is enough to call a field renamed', () => {
  expect(compared({ a: { b: 1 } }, { a: { c: 1 } })).toEqual([
    { change: 'renamed', path: 'data.a.c', before: 'data.a.b', type: 'number' },
  ])
})

it('a field is not called renamed if an older success lacks the object around it', () => {
  const [before, after] = [shapeOf({ a: { b: 1 } }), shapeOf({ a: { c: 1 } })]
  const changes = compareShapes(before, after, [shapeOf({})])
  expect(changes.map(({ change }) => change)).toEqual(['missing', 'added'])
})

it('an event can be compared with an older one than the last success', async () => {
  const receiver = receiverOf('default', { queue: undefined })
  const handle = async (id: string, data: object) =>
    expect(await receiver.receive(await delivery({ ...settled, type: 'any', id, data }))).toMatchObject({
      outcome: 'processed',
    })
  await handle('evt_old', { old: 1 })
  await handle('evt_new', { new: 1 })
  await handle('evt_self', { self: true })
  expect(await receiver.shapeChanges('evt_self', { since: 'evt_old' })).toEqual([
    { change: 'missing', path: 'data.old', type: 'number' },
    { change: 'added', path: 'data.self', type: 'boolean' },
  ])
  await expect(receiver.shapeChanges('evt_self', { until: '' } as never)).rejects.toThrow(
    'until is not an option of shapeChanges',
  )
})
