import type { Handler, HandlerContext } from '../dispatch/handlers.js'
import { invalidOption } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import { readable, requireObject } from '../given-options.js'
import type { Lifecycle } from './lifecycle.js'

/** A step of a resource from one of several states to another. */
export interface Move {
  readonly resource: string
  readonly to: string
  /** The states from which this step is allowed. A resource without a state may always take it. */
  readonly from: readonly string[]
  readonly eventId: string
}

/**
 * Keeps the states of resources in your own table. Both functions get the transaction of the store. On Postgres, the
 * columns are `(resource text primary key, state text, event_id text)`. `advance` runs this statement and returns
 * whether a row changed:
 *
 *     INSERT INTO transfer_states VALUES ($1, $2, $3) ON CONFLICT (resource) DO UPDATE
 *     SET state = excluded.state, event_id = excluded.event_id WHERE transfer_states.state = ANY($4)
 *     OR (transfer_states.state, transfer_states.event_id) = (excluded.state, excluded.event_id)
 *
 * On SQLite, pass the list as JSON and replace `= ANY($4)` with `IN (SELECT value FROM json_each(?4))`.
 */
export interface ResourceStates<Tx = unknown> {
  /**
   * Takes a step in one atomic statement. Resolves to true if the step was taken. It must also resolve to true if the
   * same event has taken the same step before. Otherwise a handler that fails after its step would not run again.
   */
  advance(move: Move, tx: Tx): boolean | Promise<boolean>
  /** The current state, or `undefined` or `null` if there is none. */
  current(resource: string, tx: Tx): State | Promise<State>
}

type State = string | null | undefined

/** Two states of one resource that contradict each other: neither follows from the other. */
export interface Conflict<Data = unknown> {
  readonly resource: string
  /** The state of the resource, which is not overwritten. */
  readonly current: string
  readonly incoming: string
  readonly event: WebhookEvent<string, Data>
}

export interface OrderRules<Data = unknown, Tx = unknown> {
  readonly lifecycle: Lifecycle
  /** What an event is about, such as its transfer. */
  readonly resource: (event: WebhookEvent<string, Data>) => string
  /** The state that an event reports. */
  readonly state: (event: WebhookEvent<string, Data>) => string
  readonly states: ResourceStates<Tx>
  /**
   * Called for contradictory states, such as `settled` after `failed`. The event is then done, with a warning. Either
   * state may have arrived first, so mark the resource as disputed here, through `tx`. If a later state follows from
   * both, remove the mark when `advance` reaches it.
   */
  readonly onConflict: (conflict: Conflict<Data>, context: HandlerContext<Tx>) => unknown
}

/** How often a step is tried while concurrent events change the state. */
const tries = 5

/**
 * Runs a handler only if its event moves the resource to a later state. The final state does not depend on the order of
 * arrival. A stale event is done without the handler. For a contradictory event `onConflict` is called.
 *
 * If a state is not in the lifecycle, the handler rejects with an `Error`. The event is retried. You can replay it
 * when the graph contains the state.
 *
 * @example
 * const rules: OrderRules<{ transferId: string; status: string }> = {
 *   lifecycle: lifecycle({ pending: ['settled', 'failed'], settled: [], failed: [] }),
 *   resource: ({ data }) => data.transferId,
 *   state: ({ data }) => data.status,
 *   states: transferStates,
 *   onConflict: ({ resource, current, incoming }) => log.error(resource, current, incoming),
 * }
 * const onSettled = ordered(rules, async ({ data }) => { await credit(data.transferId) })
 */
export function ordered<Type extends string, RuleData, Data extends RuleData, Tx>(
  rules: OrderRules<RuleData, Tx>,
  handler: Handler<Type, Data, Tx>,
): Handler<Type, Data, Tx> {
  readable('the rules of ordered', () => checkRules(rules, handler))
  const { lifecycle, states } = rules

  return async function orderedHandler(event, context) {
    const resource = rules.resource(event)
    const to = rules.state(event)
    const move = { resource, to, from: lifecycle.predecessors(to), eventId: event.id }
    if (!lifecycle.states.includes(to)) {
      throw unknown(to)
    }

    for (let i = 0; i < tries; i++) {
      if (await states.advance(move, context.tx)) {
        return handler(event, context)
      }
      const current = await states.current(resource, context.tx)
      switch (lifecycle(current, to)) {
        case 'same':
        case 'stale':
          return undefined
        case 'unknown':
          throw unknown(current as string)
        case 'conflict':
          context.warn(`${resource} is ${current}, which contradicts ${to}; it was left as it is`)
          return rules.onConflict({ resource, current: current as string, incoming: to, event }, context)
      }
    }
    throw new Error(`the step of ${resource} to ${to} was overtaken ${tries} times`)
  }
}

/** A mistake fails when the program starts, and not at the first event. */
function checkRules(rules: OrderRules<never, never>, handler: unknown): void {
  requireObject('the rules of ordered', rules)
  const { lifecycle, resource, state, states, onConflict } = rules
  const own = { handler, resource, state, onConflict, lifecycle }
  const calls = {
    ...own,
    predecessors: lifecycle?.predecessors,
    advance: states?.advance,
    current: states?.current,
  }
  for (const [name, call] of Object.entries(calls)) {
    if (typeof call !== 'function') {
      throw invalidOption(`ordered needs the function ${name}`)
    }
  }
}

const unknown = (state: string) => new Error(`the state ${state} is not in the lifecycle`)
