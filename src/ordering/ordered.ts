import type { Handler, HandlerContext } from '../dispatch/handlers.js'
import type { WebhookEvent } from '../event/event.js'
import type { Lifecycle } from './lifecycle.js'

/** A step of a resource from one of several states to another. */
export interface Move {
  readonly resource: string
  readonly to: string
  /** Every state from which the step may be made. A resource without a state may always make it. */
  readonly from: readonly string[]
  readonly eventId: string
}

/**
 * Where the states of resources are kept: a table of the user’s. Both get the store’s transaction. On Postgres, with
 * `(resource text primary key, state text, event_id text)`, `advance` is this statement and whether it changed a row:
 *
 *     INSERT INTO transfer_states VALUES ($1, $2, $3) ON CONFLICT (resource) DO UPDATE
 *     SET state = excluded.state, event_id = excluded.event_id WHERE transfer_states.state = ANY($4)
 *     OR (transfer_states.state, transfer_states.event_id) = (excluded.state, excluded.event_id)
 *
 * On SQLite, with the list as JSON, `= ANY($4)` reads `IN (SELECT value FROM json_each(?4))`.
 */
export interface ResourceStates<Tx = unknown> {
  /**
   * Makes a step in one atomic statement; resolves to whether it was made. True again for the same state and event, so
   * that a handler that failed after its step runs again.
   */
  advance(move: Move, tx: Tx): boolean | Promise<boolean>
  /** The state now; `undefined` or `null` where there is none. */
  current(resource: string, tx: Tx): State | Promise<State>
}

type State = string | null | undefined

/** Two states of one resource of which neither follows from the other. */
export interface Conflict<Data = unknown> {
  readonly resource: string
  /** What stands: it is not overwritten. */
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
   * Told of a contradiction, such as `settled` after `failed`; the event is then done, with a warning. Mark the resource
   * as disputed here, through `tx`: which of the two states arrived first is chance, that they contradict is not. (Where
   * both may still lead to one later state, take the mark away in `advance` to it.)
   */
  readonly onConflict: (conflict: Conflict<Data>, context: HandlerContext<Tx>) => unknown
}

/** A step that was refused although the state now allows it was overtaken; so often it is tried again. */
const tries = 5

/**
 * Runs a handler only where its event moves its resource forward, so that late, early and repeated events leave a
 * resource in the same state whatever order they arrive in. A stale event is done without the handler; a contradictory
 * one goes to `onConflict`.
 *
 * The handler rejects with an `Error` for a state that is not in the lifecycle: the event is kept and tried again, and
 * can be replayed when the graph knows it.
 */
export function ordered<Type extends string, RuleData, Data extends RuleData, Tx>(
  rules: OrderRules<RuleData, Tx>,
  handler: Handler<Type, Data, Tx>,
): Handler<Type, Data, Tx> {
  const { lifecycle, states } = rules

  return async function orderedHandler(event, context) {
    const resource = rules.resource(event)
    const to = rules.state(event)
    const move = { resource, to, from: lifecycle.predecessors(to), eventId: event.id }
    if (!lifecycle.states.includes(to)) throw unknown(to)

    for (let i = 0; i < tries; i++) {
      if (await states.advance(move, context.tx)) return handler(event, context)
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

const unknown = (state: string) => new Error(`the state ${state} is not in the lifecycle`)
