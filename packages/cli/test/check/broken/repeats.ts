import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type ReceivedEvent, ReceiverByHand, Refused } from '../receiver-by-hand.js'
import type { Broken } from './broken.js'

type Work = () => Promise<void>

/** Faults in what happens to an event that comes again. */
export const repeats: readonly Broken[] = [
  {
    fault: 'answers a known event with 409',
    caughtBy: 'duplicate',
    also: ['eight-at-once'],
    receiver: class extends ReceiverByHand {
      override async once(event: ReceivedEvent, body: Buffer, work: Work) {
        if (this.done.has(event.id)) {
          throw new Refused(409, 'known')
        }
        await super.once(event, body, work)
      }
    },
  },
  {
    fault: 'lets the unique key of its database surface',
    caughtBy: 'eight-at-once',
    receiver: class extends ReceiverByHand {
      override async once(event: ReceivedEvent, body: Buffer, work: Work) {
        if (this.underWay.has(event.id)) {
          throw new Error('duplicate key value violates unique constraint')
        }
        await super.once(event, body, work)
      }
    },
  },
  {
    fault: 'takes other content under a known id for a duplicate',
    caughtBy: 'other-content',
    verdict: 'warn',
    receiver: class extends ReceiverByHand {
      override async once(event: ReceivedEvent, body: Buffer, work: Work) {
        if (!this.done.has(event.id)) {
          await super.once(event, body, work)
        }
      }
    },
  },
  {
    fault: 'acknowledges an event that is still in work',
    caughtBy: 'during-work',
    options: { only: ['repeats'], skip: ['late-replay'], slow: true },
    receiver: class extends ReceiverByHand {
      override async once(event: ReceivedEvent, body: Buffer, work: Work) {
        if (!this.underWay.has(event.id)) {
          await super.once(event, body, work)
        }
      }
      override async work(event: ReceivedEvent) {
        await pause(1500)
        await super.work(event)
      }
    },
  },
  {
    fault: 'acknowledges and does nothing',
    caughtBy: 'effect-once',
    also: [
      'effect-of-duplicates',
      'effect-of-eight-at-once',
      'effect-of-other-content',
      'effect-of-other-id-header',
    ],
    receiver: class extends ReceiverByHand {
      override async work() {}
    },
  },
  {
    fault: 'recognizes no duplicates',
    caughtBy: 'effect-of-duplicates',
    also: ['effect-of-eight-at-once', 'effect-of-other-content', 'other-content'],
    receiver: class extends ReceiverByHand {
      override once(_event: ReceivedEvent, _body: Buffer, work: Work) {
        return work()
      }
    },
  },
  {
    fault: 'looks for the event first and marks it afterwards',
    caughtBy: 'effect-of-eight-at-once',
    receiver: class extends ReceiverByHand {
      override async once(event: ReceivedEvent, body: Buffer, work: Work) {
        this.underWay.delete(event.id)
        await super.once(event, body, work)
      }
    },
  },
  {
    fault: 'recognizes events by a hash of the body',
    caughtBy: 'effect-of-other-content',
    also: ['other-content'],
    receiver: class extends ReceiverByHand {
      override key(_event: ReceivedEvent, body: Buffer) {
        return createHash('sha256').update(body).digest('hex')
      }
    },
  },
  {
    fault: 'recognizes events by the header that is not signed',
    caughtBy: 'effect-of-other-id-header',
    also: ['id-mismatch'],
    receiver: class extends ReceiverByHand {
      named = ''
      override checkOrigin({ headers }: IncomingMessage, { id }: ReceivedEvent) {
        this.named = String(headers['service-event-id'] ?? id)
      }
      override key() {
        return this.named
      }
    },
  },
  {
    fault: 'works beside the verification',
    caughtBy: 'effect-of-refused',
    receiver: class extends ReceiverByHand {
      override verify(request: IncomingMessage, body: Buffer) {
        try {
          super.verify(request, body)
        } catch (error) {
          void this.work(this.parse(body))
          throw error
        }
      }
    },
  },
]
