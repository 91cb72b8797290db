import { setTimeout as pause } from 'node:timers/promises'
import { describeExchange } from '../../http/describe.js'
import type { Exchange } from '../../http/exchange.js'
import type { Case, Finding } from '../case.js'
import type { Endpoint } from '../endpoint.js'
import {
  about,
  fail,
  isAcknowledged,
  isRetryable,
  mustAcknowledge,
  mustRefuse,
  mustRefuseOrKeep,
  pass,
  worst,
} from '../judge.js'

/** What a pass does not prove without a counter of effects. */
const unseen = ({ options }: Endpoint) =>
  options.probe === undefined && {
    why: 'whether the handler ran once cannot be seen from outside; see --probe',
  }

/** Deliveries that come again, at the same time, or out of order. */
export const repeats: readonly Case[] = [
  {
    id: 'duplicate',
    title: 'an event that comes again is acknowledged again',
    rule: 'R58',
    sends: 'one event three times, each with a fresh signature',
    advice: 'Answer 200 to an event that is done. The sender may not have seen your first response.',
    async run(endpoint) {
      const { event, body } = await endpoint.event()
      const findings: Finding[] = []
      for (const [turn, ageSeconds] of [2, 1, 0].entries()) {
        const exchange = await endpoint.deliver(await endpoint.sign(body, event.id, { ageSeconds }))
        findings.push(about(`delivery ${turn + 1}`, mustAcknowledge(exchange)))
      }
      const found = worst(findings)
      return found.verdict === 'pass' ? { ...found, ...unseen(endpoint) } : found
    },
  },
  {
    id: 'eight-at-once',
    title: 'eight concurrent deliveries of an event are acknowledged or deferred',
    rule: 'R58',
    sends: 'one event eight times concurrently, then once more',
    advice:
      'Let one delivery claim the event, and answer 503 with Retry-After to others until it is done. A unique key in the database must not surface as 500.',
    async run(endpoint) {
      const delivery = await endpoint.event()
      const exchanges = await Promise.all(Array.from({ length: 8 }, () => endpoint.deliver(delivery)))
      const findings = exchanges.map((exchange) =>
        isAcknowledged(exchange) || isRetryable(exchange)
          ? pass(exchange)
          : fail(exchange, 'it was neither acknowledged nor deferred'),
      )
      const last = await acknowledgedInTime(() => endpoint.deliver(delivery))
      const found = worst([...findings, about('afterwards', mustAcknowledge(last))])
      if (found.verdict !== 'pass') {
        return found
      }
      return { verdict: 'pass', received: summary(exchanges), ...unseen(endpoint) }
    },
  },
  {
    id: 'other-content',
    title: 'an id that comes again with other content is rejected or kept for review',
    rule: 'R58',
    sends: 'an event, then another event with the same id, both signed',
    advice:
      'Keep a hash of the content with the id. Reject the second one or keep it for a person to look at.',
    async run(endpoint) {
      const first = await endpoint.event()
      const done = await endpoint.deliver(first)
      if (!isAcknowledged(done)) {
        return about('the first', mustAcknowledge(done))
      }
      const { id } = first.event
      const other = await endpoint.event({ id, data: { transferId: 'tr_other', correction: 1 } })
      const found = mustRefuseOrKeep(await endpoint.deliver(other))
      if (found.verdict !== 'warn') {
        return found
      }
      return { ...found, why: 'it was acknowledged; the other content was dropped, or processed' }
    },
  },
  {
    id: 'out-of-order',
    title: 'events of a transfer are accepted in any order',
    rule: 'R57',
    sends: 'ledger.matched before the older transfer.settled of the same transfer',
    advice: 'Decide by state and timestamp of the event, not by the order of arrival.',
    async run(endpoint) {
      const transferId = `tr_check${Date.now()}`
      const now = Date.now()
      const later = await endpoint.event({
        type: 'ledger.matched',
        createdAt: new Date(now),
        data: { transferId },
      })
      const earlier = await endpoint.event({
        type: 'transfer.settled',
        createdAt: new Date(now - 60_000),
        data: { transferId },
      })
      const first = await endpoint.deliver(later)
      const second = await endpoint.deliver(earlier)
      // A receiver may defer the earlier delivery until the other one has arrived.
      const again = isRetryable(first) ? await endpoint.deliver(later) : first
      return worst([
        about('ledger.matched', mustAcknowledge(again)),
        about('transfer.settled', mustAcknowledge(second)),
      ])
    },
  },
  {
    id: 'during-work',
    title: 'a delivery that comes while the handler runs is deferred or waits',
    rule: 'R55',
    sends: 'one event again every 200 ms until its first delivery is answered',
    advice: 'Acknowledge a concurrent delivery only after the work is done: it may still fail.',
    needs: 'slow',
    async run(endpoint) {
      const delivery = await endpoint.event()
      const first = endpoint.deliver(delivery)
      let isDone = false
      const done = first.then(() => {
        isDone = true
      })
      const early: Exchange[] = []
      let overlapping = 0
      await Promise.race([done, pause(200)])
      while (!isDone) {
        overlapping++
        const exchange = await endpoint.deliver(delivery)
        // Two responses that are written at the same moment may arrive in either order.
        await Promise.race([done, pause(250)])
        if (!isDone) {
          early.push(exchange)
        }
        await Promise.race([done, pause(200)])
      }
      const answer = await first
      if (overlapping === 0) {
        const why = 'the first delivery was answered too soon; give an event that takes a second with --event'
        return { verdict: 'skip', received: describeExchange(answer), why }
      }
      const hasty = early.find(isAcknowledged)
      if (hasty) {
        return fail(hasty, 'it was acknowledged before the first delivery was done')
      }
      const odd = early.find((exchange) => !isRetryable(exchange))
      return odd ? fail(odd, 'it was not deferred') : pass(answer)
    },
  },
  {
    id: 'late-replay',
    title: 'a recorded delivery is rejected when it is replayed after the tolerance',
    rule: 'R50',
    sends: 'a delivery, then exactly the same bytes and headers after the tolerance',
    advice: 'Judge t against the clock for every delivery, also of events that you know.',
    needs: 'slow',
    expectsRefusal: true,
    async run(endpoint) {
      const delivery = await endpoint.event()
      const first = await endpoint.deliver(delivery)
      if (!isAcknowledged(first)) {
        return about('the first', mustAcknowledge(first))
      }
      await pause((endpoint.toleranceSeconds + 5) * 1000)
      return mustRefuse(await endpoint.deliver(delivery))
    },
  },
]

/** Delivers again while the receiver asks for it: once per second, at most five times. */
async function acknowledgedInTime(deliver: () => Promise<Exchange>): Promise<Exchange> {
  let exchange = await deliver()
  for (let attempt = 1; attempt < 5 && isRetryable(exchange); attempt++) {
    await pause(1000)
    exchange = await deliver()
  }
  return exchange
}

/** Such as `1 x 200, 7 x 503`. */
function summary(exchanges: readonly Exchange[]): string {
  const counts = new Map<string, number>()
  for (const exchange of exchanges) {
    const name = exchange.kind === 'answer' ? String(exchange.status) : exchange.code
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => `${count} x ${name}`).join(', ')
}
