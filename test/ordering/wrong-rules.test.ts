import { expect, test } from 'vitest'
import { lifecycle } from '../../src/ordering/lifecycle.js'
import { ordered } from '../../src/ordering/ordered.js'
import { transfers } from './transfer-events.js'

const nothing = () => {}
const rules = {
  lifecycle: transfers,
  resource: nothing,
  state: nothing,
  states: { advance: nothing, current: nothing },
  onConflict: nothing,
}
const rejected = (what: unknown, handler: unknown, message: string) =>
  expect(() => ordered(what as never, handler as never)).toThrow(
    expect.objectContaining({ code: 'invalid_option', message: `invalid_option: ${message}` }),
  )

test('ordered takes rules with every function, and names one that is missing', () => {
  expect(ordered(rules as never, nothing as never)).toBeInstanceOf(Function)
  rejected(rules, undefined, 'ordered needs the function handler')
  for (const name of ['lifecycle', 'resource', 'state', 'onConflict']) {
    rejected({ ...rules, [name]: undefined }, nothing, `ordered needs the function ${name}`)
  }
  rejected({ ...rules, states: undefined }, nothing, 'ordered needs the function advance')
  rejected({ ...rules, states: { current: nothing } }, nothing, 'ordered needs the function advance')
  rejected({ ...rules, states: { advance: nothing } }, nothing, 'ordered needs the function current')
  rejected({ ...rules, lifecycle: nothing }, nothing, 'ordered needs the function predecessors')
})

test('ordered rejects what is no object, or cannot be read', () => {
  for (const none of [undefined, null, 'rules', [rules]]) {
    rejected(none, nothing, 'the rules of ordered must be an object')
  }
  const trap = {
    get lifecycle() {
      throw new Error('no')
    },
  }
  rejected(trap, nothing, 'the rules of ordered must be readable')
})

test('a lifecycle rejects a graph that is no object, cannot be read, or has no list for a state', () => {
  const made = (graph: unknown) => () => lifecycle(graph as never)
  expect(made(null)).toThrow('invalid_option: the graph of a lifecycle must be an object')
  const trap = {
    get pending() {
      throw new Error('no')
    },
  }
  expect(made(trap)).toThrow('invalid_option: the graph of a lifecycle must be readable')
  for (const none of [undefined, 'settled', { settled: true }]) {
    expect(made({ pending: none, settled: [] })).toThrow(
      'invalid_option: what follows pending must be a list of states',
    )
  }
})
