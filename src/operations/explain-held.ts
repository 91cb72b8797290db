import type { FlowGate } from '../flow/flow-gate.js'
import { type FlowStore, isPausedBy, type SeenWorker } from '../store/flow-store.js'
import type { StoredEvent } from '../store/inbox.js'

/** A pause or an open circuit that holds the event back. */
export async function explainHold(flow: FlowStore, { endpoint, type, resource, id }: StoredEvent) {
  const { pauses, circuits } = await flow.holds(endpoint)
  const pause = pauses.find((each) => isPausedBy(each, { type, resource }))
  if (pause) {
    const what = pause.type
      ? `type ${pause.type}`
      : pause.resource
        ? `resource ${pause.resource}`
        : `endpoint ${endpoint}`
    const sentence = `Event ${id} waits because ${pause.actor} paused the ${what} at ${pause.pausedAt}: ${pause.reason}.`
    return { reason: 'paused', sentence, pause } as const
  }
  const circuit = circuits.find((each) => each.type === type && each.isHolding)
  if (circuit?.retryAt) {
    const { failures, retryAt } = circuit
    const next = circuit.isOnTrial ? 'a trial is running now' : `one event runs as a trial at ${retryAt}`
    // Without the count: a trial that fails with another cause starts it again, and the circuit stays open.
    const sentence = `Event ${id} waits because ${type} failed too often in a row; ${next}.`
    return { reason: 'circuit_open', sentence, type, failures, retryAt } as const
  }
  return undefined
}

/** A limit that holds the event back, in this process or in another one. */
export function explainLimit(
  { id, type, resource }: StoredEvent,
  workers: readonly SeenWorker[],
  gate: FlowGate,
) {
  const limits = [gate.limited(), ...workers.map(({ limited }) => limited)]
  if (limits.some(({ types }) => types.includes(type))) {
    return {
      reason: 'rate_limited',
      sentence: `Event ${id} waits because ${type} is at its limit.`,
      type,
    } as const
  }
  const isFull = (resource: string) =>
    gate.isFull(resource) || limits.some(({ resources }) => resources.includes(resource))
  if (resource !== undefined && isFull(resource)) {
    const sentence = `Event ${id} waits because the resource ${resource} is at its limit.`
    return { reason: 'rate_limited', sentence, resource } as const
  }
  return undefined
}
