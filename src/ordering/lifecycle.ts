import { invalidOption } from '../errors.js'
import { readable, requireObject, shown } from '../given-options.js'

/**
 * How an incoming state relates to the current state.
 *
 * - `apply`: the incoming state follows the current one, directly or through states that were not reported.
 * - `same`: both are the same state.
 * - `stale`: the current state follows the incoming one, so the event is old.
 * - `conflict`: neither state follows from the other, such as `settled` and `failed`.
 * - `unknown`: one of the two states is not in the graph.
 */
export type Verdict = 'apply' | 'same' | 'stale' | 'conflict' | 'unknown'

/** Compares states by their graph. */
export interface Lifecycle<State extends string = string> {
  /** `current` is `undefined` or `null` if the resource has no state yet. Then every known state applies. */
  (current: string | null | undefined, incoming: string): Verdict
  /** Every state, in the order of the graph. */
  readonly states: readonly State[]
  /** Every state from which the incoming state applies, for the condition of an `UPDATE`. Empty for an unknown state. */
  predecessors(incoming: string): readonly State[]
}

/**
 * Makes a lifecycle from a graph. The graph lists, for each state, the states that may follow directly. Throws
 * `ConfigurationError` `invalid_option` if a successor is not a key of the graph, or if the graph has a cycle.
 *
 * @example
 * const transfers = lifecycle({ pending: ['processing'], processing: ['settled', 'failed'], settled: [], failed: [] })
 * transfers('pending', 'settled') // 'apply'
 * transfers('settled', 'failed') // 'conflict'
 */
export function lifecycle<const Graph extends { readonly [State in keyof Graph]: readonly (keyof Graph)[] }>(
  graph: Graph,
): Lifecycle<keyof Graph & string> {
  type State = keyof Graph & string
  const name = 'the graph of a lifecycle'
  requireObject(name, graph)
  const { states, before } = readable(name, () => {
    const states = Object.keys(graph) as State[]
    return { states, before: predecessorsOf(graph as Readonly<Record<State, readonly State[]>>, states) }
  })
  if (states.length === 0) {
    throw invalidOption('a lifecycle needs at least one state')
  }

  const judge = (current: string | null | undefined, incoming: string): Verdict => {
    const earlier = before.get(incoming)
    if (!earlier) {
      return 'unknown'
    }
    if (current === undefined || current === null) {
      return 'apply'
    }
    if (current === incoming) {
      return 'same'
    }
    const past = before.get(current)
    if (!past) {
      return 'unknown'
    }
    if (earlier.has(current)) {
      return 'apply'
    }
    return past.has(incoming) ? 'stale' : 'conflict'
  }
  const predecessors = (incoming: string) => [...(before.get(incoming) ?? [])] as State[]
  return Object.assign(judge, { states, predecessors })
}

/** For each state, every state that leads to it. A map, because `constructor` is a valid state. */
function predecessorsOf<State extends string>(
  graph: Readonly<Record<State, readonly State[]>>,
  states: readonly State[],
): Map<string, Set<string>> {
  const before = new Map(states.map((state) => [state as string, new Set<string>()]))
  for (const start of states) {
    const ahead: State[] = [start]
    for (let state = ahead.pop(); state !== undefined; state = ahead.pop()) {
      if (!Array.isArray(graph[state])) {
        throw invalidOption(`what follows ${shown(state)} must be a list of states`)
      }
      for (const next of graph[state]) {
        const known = before.get(next)
        if (!known) {
          throw invalidOption(`${shown(next)} follows ${shown(state)} but is not a state itself`)
        }
        if (next === start) {
          throw invalidOption(`${shown(start)} can follow itself`)
        }
        if (known.has(start)) {
          continue
        }
        known.add(start)
        ahead.push(next)
      }
    }
  }
  return before
}
