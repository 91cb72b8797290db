import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ReceiverByHand, type SignatureHeader, secret } from '../receiver-by-hand.js'
import type { Broken } from './broken.js'

const digestOf = (t: string, body: Buffer | string, key = secret) =>
  createHmac('sha256', key).update(`${t}.`).update(body).digest()

/** Faults in what is verified. */
export const signatures: readonly Broken[] = [
  {
    fault: 'verifies only deliveries that have a signature',
    caughtBy: 'unsigned',
    also: ['effect-of-refused'],
    receiver: class extends ReceiverByHand {
      override verify(request: IncomingMessage, body: Buffer) {
        if ('service-signature' in request.headers) {
          super.verify(request, body)
        }
      }
    },
  },
  {
    fault: 'looks at the form of the signature alone',
    caughtBy: 'wrong-secret',
    also: ['tampered-body', 'tampered-time', 'reserialized-body', 'added-newline', 'effect-of-refused'],
    receiver: class extends ReceiverByHand {
      override isSigned({ v1 }: SignatureHeader) {
        return v1.every((each) => /^[0-9a-f]{64}$/.test(each))
      }
    },
  },
  {
    fault: 'verifies what its schema leaves of the event',
    caughtBy: 'tampered-body',
    receiver: class extends ReceiverByHand {
      override isSigned(header: SignatureHeader, body: Buffer) {
        return super.isSigned(header, Buffer.from(body.toString().replace('"addedLater":true,', '')))
      }
    },
  },
  {
    fault: 'tries neighboring timestamps to allow for clocks that differ',
    caughtBy: 'tampered-time',
    receiver: class extends ReceiverByHand {
      override isSigned(header: SignatureHeader, body: Buffer) {
        const nearby = [-1, 0, 1].map((seconds) => String(Number(header.t) + seconds))
        return nearby.some((t) => super.isSigned({ ...header, t }, body))
      }
    },
  },
  {
    fault: 'verifies the event after parsing and serializing it again',
    caughtBy: 'reserialized-body',
    also: [
      'number-forms',
      'escapes',
      'white-space',
      'added-newline',
      'empty-body',
      'not-json',
      // JSON.stringify is recursive.
      'deep-body',
    ],
    receiver: class extends ReceiverByHand {
      override isSigned(header: SignatureHeader, body: Buffer) {
        return super.isSigned(header, Buffer.from(JSON.stringify(JSON.parse(body.toString()))))
      }
    },
  },
  {
    fault: 'trims the body before verifying it',
    caughtBy: 'added-newline',
    also: ['white-space'],
    receiver: class extends ReceiverByHand {
      override isSigned(header: SignatureHeader, body: Buffer) {
        return super.isSigned(header, Buffer.from(body.toString().trim()))
      }
    },
  },
  {
    fault: 'does not judge the timestamp',
    caughtBy: 'stale',
    also: ['future', 'effect-of-refused'],
    receiver: class extends ReceiverByHand {
      override toleranceSeconds = Number.POSITIVE_INFINITY
    },
  },
  {
    fault: 'looks at timestamps in the past alone',
    caughtBy: 'future',
    receiver: class extends ReceiverByHand {
      override isFresh(t: number) {
        return Date.now() / 1000 - t <= this.toleranceSeconds
      }
    },
  },
  {
    fault: 'allows for a few seconds only',
    caughtBy: 'within-tolerance',
    verdict: 'warn',
    receiver: class extends ReceiverByHand {
      override toleranceSeconds = 20
    },
  },
  {
    fault: 'looks for a known event before it judges the timestamp',
    caughtBy: 'late-replay',
    options: { only: ['stale', 'late-replay'], slow: true, toleranceSeconds: 1 },
    receiver: class extends ReceiverByHand {
      override toleranceSeconds = 1
      override verify(request: IncomingMessage, body: Buffer) {
        const isKnown = this.done.has(String(request.headers['service-event-id']))
        if (!isKnown) {
          super.verify(request, body)
        }
      }
    },
  },
  {
    fault: 'takes the tolerance in milliseconds for one in seconds',
    caughtBy: 'valid-delivery',
    options: { only: ['valid-camel-case'] },
    receiver: class extends ReceiverByHand {
      override isFresh(t: number) {
        return Math.abs(Date.now() - t) <= this.toleranceSeconds
      }
    },
  },
  {
    fault: 'knows one secret alone',
    caughtBy: 'rotated-secret',
    options: { oldSecret: 'whsec_test_old_secret' },
    receiver: ReceiverByHand,
  },
  {
    fault: 'compares the first signature alone',
    caughtBy: 'several-signatures',
    receiver: class extends ReceiverByHand {
      override isSigned({ t, v1 }: SignatureHeader, body: Buffer) {
        return super.isSigned({ t, v1: v1.slice(0, 1) }, body)
      }
    },
  },
  {
    fault: 'compares as many characters as it was given',
    caughtBy: 'short-signature',
    also: ['no-signature-in-header'],
    receiver: class extends ReceiverByHand {
      override isSigned({ t, v1 }: SignatureHeader, body: Buffer) {
        return v1.some((each) => digestOf(t, body).toString('hex').startsWith(each))
      }
    },
  },
  {
    fault: 'compares buffers of different lengths',
    caughtBy: 'undecodable-signature',
    also: ['short-signature', 'no-signature-in-header'],
    receiver: class extends ReceiverByHand {
      override isSigned({ t, v1 }: SignatureHeader, body: Buffer) {
        return v1.some((each) => timingSafeEqual(digestOf(t, body), Buffer.from(each, 'hex')))
      }
    },
  },
]
