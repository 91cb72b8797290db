import { setTimeout as pause } from 'node:timers/promises'
import { describeExchange } from '../http/describe.js'
import { exchange } from '../http/exchange.js'
import type { Endpoint } from './endpoint.js'

/**
 * How often an event took effect, by the receiver's own counter. The response to a GET of the probe's URL is a number, or JSON
 * with a number in `count`. A string says why there is no number.
 */
export async function effectsOf(endpoint: Endpoint, eventId: string): Promise<number | string> {
  const { probe = '' } = endpoint.options
  const url = new URL(probe.replace('{id}', encodeURIComponent(eventId)))
  const answer = await exchange(url, { method: 'GET', headers: {} }, endpoint.timeoutSeconds)
  if (answer.kind === 'none') {
    return answer.problem
  }
  if (answer.status !== 200) {
    return `the probe answered ${describeExchange(answer)}`
  }
  return countIn(answer.body) ?? `the probe answered no number: ${describeExchange(answer)}`
}

/** Waits until the count is at least `expected`, then a little longer for effects that should not come. */
export async function settledEffects(
  endpoint: Endpoint,
  eventId: string,
  expected: number,
): Promise<number | string> {
  const { settleSeconds = 5 } = endpoint.options
  const deadline = performance.now() + settleSeconds * 1000
  let count = await effectsOf(endpoint, eventId)
  while (typeof count === 'number' && count < expected && performance.now() < deadline) {
    await pause(100)
    count = await effectsOf(endpoint, eventId)
  }
  await pause(Math.min(500, settleSeconds * 100))
  return effectsOf(endpoint, eventId)
}

function countIn(text: string): number | undefined {
  try {
    const value = JSON.parse(text) as { count?: unknown } | number | null
    const count = typeof value === 'object' ? value?.count : value
    return typeof count === 'number' ? count : undefined
  } catch {
    return undefined
  }
}
