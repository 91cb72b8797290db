import { type ReceivedEvent, ReceiverByHand, Refused } from '../receiver-by-hand.js'
import type { Broken } from './broken.js'

/** Faults in what is made of an event that is signed. */
export const events: readonly Broken[] = [
  {
    fault: 'reads camelCase alone',
    caughtBy: 'valid-snake-case',
    receiver: class extends ReceiverByHand {
      override parse(body: Buffer) {
        if (!body.includes('"createdAt"')) {
          throw new Refused(400, 'no createdAt')
        }
        return super.parse(body)
      }
    },
  },
  {
    fault: 'reads snake_case alone',
    caughtBy: 'valid-camel-case',
    options: { only: ['valid-camel-case', 'valid-snake-case'] },
    receiver: class extends ReceiverByHand {
      override parse(body: Buffer) {
        if (!body.includes('"created_at"')) {
          throw new Refused(400, 'no created_at')
        }
        return super.parse(body)
      }
    },
  },
  {
    fault: 'rejects types that it has no handler for',
    caughtBy: 'known-types',
    also: ['unknown-type', 'out-of-order'],
    receiver: class extends ReceiverByHand {
      override parse(body: Buffer) {
        const event = super.parse(body)
        if (!event.type.startsWith('transfer.')) {
          throw new Refused(422, 'no handler')
        }
        return event
      }
    },
  },
  {
    fault: 'finds a handler for the type constructor',
    caughtBy: 'unknown-type',
    receiver: class extends ReceiverByHand {
      readonly handlers: Record<string, (event: ReceivedEvent) => string> = {}
      override async work(event: ReceivedEvent) {
        this.handlers[event.type]?.call(undefined, event).startsWith('ok')
        await super.work(event)
      }
    },
  },
  {
    fault: 'rejects fields that it does not know',
    caughtBy: 'unknown-fields',
    receiver: class extends ReceiverByHand {
      override parse(body: Buffer) {
        const event = super.parse(body)
        const known = ['id', 'type', 'environment', 'product', 'createdAt', 'created_at', 'data']
        if (Object.keys(event).some((name) => !known.includes(name))) {
          throw new Refused(400, 'unknown field')
        }
        return event
      }
    },
  },
  {
    fault: 'judges freshness by the time of the event',
    caughtBy: 'old-event',
    receiver: class extends ReceiverByHand {
      override parse(body: Buffer) {
        const event = super.parse(body) as ReceivedEvent & { createdAt: string }
        if (Date.now() - Date.parse(event.createdAt) > 300_000) {
          throw new Refused(401, 'too old')
        }
        return event
      }
    },
  },
  {
    fault: 'takes events of the sandbox in production',
    caughtBy: 'sandbox-event',
    options: { isProduction: true },
    receiver: ReceiverByHand,
  },
  {
    fault: 'rejects a later event for an earlier one',
    caughtBy: 'out-of-order',
    options: { only: ['repeats', 'known-types'] },
    receiver: class extends ReceiverByHand {
      readonly settled = new Set<unknown>()
      override parse(body: Buffer) {
        const event = super.parse(body)
        const { transferId } = event.data
        if (event.type === 'transfer.settled') {
          this.settled.add(transferId)
        }
        const isEarly = event.type === 'ledger.matched' && String(transferId).includes('check')
        if (isEarly && !this.settled.has(transferId)) {
          throw new Refused(422, 'no such transfer')
        }
        return event
      }
    },
  },
  {
    fault: 'parses an empty body as an event',
    caughtBy: 'empty-body',
    receiver: class extends ReceiverByHand {
      override parse(body: Buffer) {
        if (body.length === 0) {
          throw new TypeError('body is undefined')
        }
        return super.parse(body)
      }
    },
  },
  {
    fault: 'lets errors of JSON.parse surface',
    caughtBy: 'not-json',
    also: ['empty-body'],
    receiver: class extends ReceiverByHand {
      override parse(body: Buffer) {
        if (!/[\]}l]\s*$/.test(body.toString())) {
          throw new SyntaxError('Unexpected end of JSON input')
        }
        return super.parse(body)
      }
    },
  },
  {
    fault: 'takes every JSON for an event',
    caughtBy: 'not-an-event',
    receiver: class extends ReceiverByHand {
      override parse(body: Buffer) {
        if (body.toString() === 'null') {
          return JSON.parse('null').id
        }
        return super.parse(body)
      }
    },
  },
  {
    fault: 'replaces bytes that are not UTF-8',
    caughtBy: 'not-utf8',
    verdict: 'warn',
    receiver: class extends ReceiverByHand {
      override decode(body: Buffer) {
        return body.toString()
      }
    },
  },
  {
    fault: 'walks the event recursively',
    caughtBy: 'deep-body',
    receiver: class extends ReceiverByHand {
      override parse(body: Buffer) {
        const event = super.parse(body)
        const walk = (value: unknown): unknown =>
          typeof value === 'object' && value !== null ? Object.values(value).map((each) => walk(each)) : value
        walk(event)
        return event
      }
    },
  },
  {
    fault: 'stores the event in a column that rejects a NUL character',
    caughtBy: 'nul-character',
    // JSON.stringify is recursive.
    also: ['deep-body'],
    receiver: class extends ReceiverByHand {
      override async work(event: ReceivedEvent) {
        if (JSON.stringify(event).includes('\\u0000')) {
          throw new Error('unsupported Unicode escape sequence')
        }
        await super.work(event)
      }
    },
  },
  {
    fault: 'computes with numbers that are not exact',
    caughtBy: 'big-numbers',
    receiver: class extends ReceiverByHand {
      override async work(event: ReceivedEvent) {
        BigInt((event.data.limit as number | undefined) ?? 0)
        await super.work(event)
      }
    },
  },
]
