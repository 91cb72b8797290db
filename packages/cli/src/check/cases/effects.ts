import type { SignedBody } from 'webhook-inbox/testing'
import { tamper } from 'webhook-inbox/testing'
import type { Case, Finding } from '../case.js'
import type { Endpoint } from '../endpoint.js'
import { effectsOf, settledEffects } from '../probe.js'

const claimFirst =
  'Claim the id in a store that every process shares, before the handler runs. Mark it done in the same transaction as the effect, where you can.'

/** Checks what responses cannot show. The receiver's own counter says how often an event took effect. */
export const effects: readonly Case[] = [
  {
    id: 'effect-once',
    title: 'a valid event takes effect',
    rule: 'R55',
    sends: 'one signed event',
    advice: 'An acknowledged event must take effect. Check that the probe counts by event id.',
    needs: 'probe',
    run: (endpoint) => counts(endpoint, (delivery) => endpoint.deliver(delivery)),
  },
  {
    id: 'effect-of-duplicates',
    title: 'an event that comes three times takes effect once',
    rule: 'R58',
    sends: 'one event three times',
    advice: claimFirst,
    needs: 'probe',
    run: (endpoint) =>
      counts(endpoint, async (delivery) => {
        for (let turn = 0; turn < 3; turn++) {
          await endpoint.deliver(delivery)
        }
      }),
  },
  {
    id: 'effect-of-eight-at-once',
    title: 'an event that comes eight times concurrently takes effect once',
    rule: 'R58',
    sends: 'one event eight times concurrently',
    advice: claimFirst,
    needs: 'probe',
    run: (endpoint) =>
      counts(endpoint, (delivery) =>
        Promise.all(Array.from({ length: 8 }, () => endpoint.deliver(delivery))),
      ),
  },
  {
    id: 'effect-of-other-content',
    title: 'an id that comes again with other content takes effect once',
    rule: 'R58',
    sends: 'an event, then another event with the same id',
    advice: 'Recognize events by their id, not by a hash of the body.',
    needs: 'probe',
    run: (endpoint) =>
      counts(endpoint, async (delivery) => {
        await endpoint.deliver(delivery)
        await endpoint.deliver(await endpoint.event({ id: delivery.event.id, data: { correction: 1 } }))
      }),
  },
  {
    id: 'effect-of-other-id-header',
    title: 'an event that comes again under another Service-Event-Id takes effect once',
    rule: 'R46',
    sends: 'one event twice, the second time with another id in the header',
    advice: 'Recognize events by the id in the signed body. The header is not signed.',
    needs: 'probe',
    run: (endpoint) =>
      counts(endpoint, async (delivery) => {
        await endpoint.deliver(delivery)
        await endpoint.deliver(await endpoint.sign(delivery.body, `${delivery.event.id}x`))
      }),
  },
  {
    id: 'effect-of-refused',
    title: 'a delivery that must be rejected takes no effect',
    rule: 'R48',
    sends: 'one event unsigned, tampered with, and stale',
    advice: 'Verify before you process, not beside it.',
    needs: 'probe',
    async run(endpoint) {
      const delivery = await endpoint.event()
      const ageSeconds = endpoint.toleranceSeconds + 60
      const { id } = delivery.event
      const bad: SignedBody[] = [
        tamper.dropHeader(delivery, 'service-signature'),
        tamper.signature(delivery),
        await endpoint.sign(delivery.body, id, { ageSeconds }),
      ]
      for (const each of bad) {
        await endpoint.deliver(each)
      }
      return verdictOn(await settledEffects(endpoint, id, 0), 0)
    },
  },
]

/** Sends deliveries of one event and expects one effect. */
async function counts(
  endpoint: Endpoint,
  send: (delivery: Awaited<ReturnType<Endpoint['event']>>) => Promise<unknown>,
): Promise<Finding> {
  const delivery = await endpoint.event()
  const before = await effectsOf(endpoint, delivery.event.id)
  if (before !== 0) {
    return verdictOn(before, 0)
  }
  await send(delivery)
  return verdictOn(await settledEffects(endpoint, delivery.event.id, 1), 1)
}

function verdictOn(count: number | string, expected: number): Finding {
  if (typeof count === 'string') {
    return { verdict: 'fail', received: count, why: 'the probe does not work' }
  }
  const received = `the probe counts ${count}`
  if (count === expected) {
    return { verdict: 'pass', received }
  }
  return { verdict: 'fail', received, why: `it should count ${expected}` }
}
