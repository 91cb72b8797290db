import assert from 'node:assert/strict'
import type { HandlerContext } from '../../dispatch/handlers.js'
import type { WebhookEvent } from '../../event/event.js'
import type { Job } from '../../queue/queue.js'
import { createReceiver, type Receiver } from '../../receiver.js'
import type { EventRef } from '../../store/event-ref.js'
import type { Inbox, StoredEvent } from '../../store/inbox.js'
import { testSecret } from '../delivery.js'
import { eventually, freshKey } from '../laws.js'
import { type TestSender, testSender } from '../sender.js'
import type { QueueSettings, QueueTrial } from './trial.js'

type AnyHandler<Tx> = (event: WebhookEvent, context: HandlerContext<Tx>) => unknown

/** A receiver with its queue, and a sender that delivers to it. */
export interface Program<Tx> extends QueueTrial<Tx> {
  readonly receiver: Receiver
  readonly sender: TestSender
  readonly inbox: Inbox<Tx>
  /** Delivers a new event, with a resource if one is given. Resolves to its id when it is accepted. */
  accept(about?: string): Promise<string>
  /** Waits until an event has a state. */
  until(eventId: string, state: StoredEvent['state'], seconds?: number): Promise<StoredEvent>
}

/** Returns an event with this key and a body that no receiver can read. */
export const refOf = (key: string, endpoint: string): EventRef => ({
  key,
  contentHash: 'content',
  durations: { leaseSeconds: 60, retentionSeconds: 90 * 86_400, workSeconds: 10, waitSeconds: 1 },
  endpoint,
  id: 'evt_law',
  type: 'law.tried',
  createdAt: '2026-01-02T03:04:05Z',
  body: new TextEncoder().encode('unreadable'),
})

export const jobOf = ({ key, type, endpoint }: EventRef): Job => ({ key, type, endpoint, generation: 0 })

const marker = 'about '

/** Returns the resource of an event of the suite, if it has one. */
export function aboutOf({ data }: WebhookEvent): string | undefined {
  const { transferId } = data as { transferId: string }
  return transferId.startsWith(marker) ? transferId.slice(marker.length) : undefined
}

/** The place where one law is tested: its own space, and the programs in it. */
export class Bench<Tx> {
  readonly #make: (settings: QueueSettings) => QueueTrial<Tx> | Promise<QueueTrial<Tx>>
  readonly #programs: Program<Tx>[] = []
  readonly settings: QueueSettings = {
    space: `law${freshKey().slice(0, 24)}`,
    concurrency: 5,
    retry: { attempts: 3, firstPauseSeconds: 1, longestPauseSeconds: 60 },
  }

  constructor(make: (settings: QueueSettings) => QueueTrial<Tx> | Promise<QueueTrial<Tx>>) {
    this.#make = make
  }

  /** Creates a program that is not started. */
  async program(handler: AnyHandler<Tx>, over: Partial<QueueSettings> = {}): Promise<Program<Tx>> {
    const trial = await this.#make({ ...this.settings, ...over })
    const { queue, store } = trial
    const { inbox } = store
    assert.ok(inbox, 'the store has no inbox')
    const receiver = createReceiver({
      secret: testSecret,
      store,
      queue,
      endpoint: this.settings.space,
      fallback: handler as never,
      resource: aboutOf,
      leaseSeconds: 2,
      handlerTimeoutSeconds: 30,
      logger: false,
    })
    const sender = testSender({ receiver })
    const program: Program<Tx> = {
      ...trial,
      receiver,
      sender,
      inbox,
      async accept(about) {
        const data = about === undefined ? {} : { transferId: `${marker}${about}` }
        const { outcome, eventId } = await sender.send('transfer.settled', data)
        assert.equal(outcome, 'accepted')
        return eventId as string
      },
      until: (eventId, state, seconds = 60) =>
        eventually(async () => {
          const stored = await receiver.inspect(eventId)
          return stored?.state === state ? stored : undefined
        }, seconds),
    }
    this.#programs.push(program)
    return program
  }

  async close(): Promise<void> {
    for (const { receiver } of this.#programs) {
      await receiver.stop()
    }
    for (const { close } of this.#programs) {
      await close()
    }
  }
}
