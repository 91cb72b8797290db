import { announce } from 'webhook-inbox-ui'
import { call } from '../api/call.js'
import { actOnDelivery } from '../api/delivery.js'
import type { Delivery, FullDelivery } from '../api/records.js'

/** Runs what a person asked for, and says what came of it. */
async function act(work: () => Promise<string>): Promise<void> {
  try {
    announce(await work())
  } catch (error) {
    announce((error as Error).message)
  }
}

export interface ReplayChoice {
  readonly times: number
  readonly concurrent: boolean
  readonly signature: 'fresh' | 'original'
}

export const replayOnce: ReplayChoice = { times: 1, concurrent: false, signature: 'fresh' }

/** Delivers the event again, to the receiver of this delivery. */
export const replay = ({ eventId, subscriptionId }: Delivery, choice: ReplayChoice): Promise<void> =>
  act(async () => {
    announce(choice.times > 1 ? `Replaying ${choice.times} times…` : 'Replaying…')
    const path = `/_sandbox/events/${encodeURIComponent(eventId)}/replay`
    const { data } = await call<{ data: readonly Delivery[] }>('POST', path, { ...choice, subscriptionId })
    return `Replayed ${data.length === 1 ? 'once' : `${data.length} times`}: ${answers(data)}.`
  })

/** Makes the next attempt now. */
export const retryNow = ({ id }: Delivery): Promise<void> =>
  act(async () => {
    return `Retried: ${answers([await actOnDelivery(id, 'retry')])}.`
  })

export interface Edited {
  readonly body: string
  readonly signature: string
  readonly ageSeconds: number
}

/** Sends other bytes under the same id. Resolves to the new delivery. Rejects with `CallError`. */
export const sendEdited = ({ id }: Delivery, edited: Edited): Promise<FullDelivery> =>
  actOnDelivery(id, 'send', edited)

/** `200 duplicate, 9 times` */
function answers(deliveries: readonly Delivery[]): string {
  const counted = new Map<string, number>()
  for (const { last } of deliveries) {
    const answer = last ? [last.status ?? last.failure, last.outcome].filter(Boolean).join(' ') : 'not sent'
    counted.set(answer, (counted.get(answer) ?? 0) + 1)
  }
  return [...counted].map(([answer, count]) => (count > 1 ? `${answer}, ${count} times` : answer)).join('; ')
}
