import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  type ReceivedEvent,
  ReceiverByHand,
  Refused,
  type SignatureHeader,
  secret,
} from '../receiver-by-hand.js'
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
        if ('service-signature' in request.headers) super.verify(request, body)
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
        if (!isKnown) super.verify(request, body)
      }
    },
  },
  {
    fault: 'takes the tolerance in milliseconds for one in seconds',
    caughtBy: 'valid-camel-case',
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

/** Faults in how the signature header is read. */
export const headers: readonly Broken[] = [
  {
    fault: 'matches the whole header with one pattern',
    caughtBy: 'other-tags',
    also: ['several-signatures', 'spaces-in-header'],
    receiver: class extends ReceiverByHand {
      override parseHeader(header: string) {
        const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
        if (t === '') throw new Refused(401, 'malformed')
        return { t, v1: [v1] }
      }
    },
  },
  {
    fault: 'does not trim the elements of the header',
    caughtBy: 'spaces-in-header',
    verdict: 'warn',
    receiver: class extends ReceiverByHand {
      override parseHeader(header: string) {
        if (header.includes(' ')) throw new Refused(401, 'no v1')
        return super.parseHeader(header)
      }
    },
  },
  {
    fault: 'throws on a header that it cannot read',
    caughtBy: 'malformed-header',
    receiver: class extends ReceiverByHand {
      override parseHeader(header: string) {
        const t = (/t=(\d+)/.exec(header) as RegExpExecArray)[1] as string
        return { ...super.parseHeader(header), t }
      }
    },
  },
  {
    fault: 'succeeds where there is no signature to compare',
    caughtBy: 'no-signature-in-header',
    also: ['several-signatures'],
    receiver: class extends ReceiverByHand {
      override parseHeader(header: string) {
        return /^t=\d+$/.test(header) ? { t: header.slice(2), v1: [] } : super.parseHeader(header)
      }
      override isSigned({ t, v1 }: SignatureHeader, body: Buffer) {
        return v1.every((each) => super.isSigned({ t, v1: [each] }, body))
      }
    },
  },
  {
    fault: 'takes any tag for a signature',
    caughtBy: 'other-tag-alone',
    receiver: class extends ReceiverByHand {
      override parseHeader(header: string) {
        return super.parseHeader(header.replaceAll(/v\d=/g, 'v1='))
      }
    },
  },
  {
    fault: 'verifies with the first t and judges the last one',
    caughtBy: 'two-timestamps',
    receiver: class extends ReceiverByHand {
      last = Number.NaN
      override parseHeader(header: string) {
        const times = [...header.matchAll(/t=(\d+)/g)]
        this.last = Number(times.at(-1)?.[1])
        return super.parseHeader(times.length > 1 ? header.replace(/,t=\d+$/, '') : header)
      }
      override isFresh(t: number) {
        return super.isFresh(Number.isNaN(this.last) ? t : this.last)
      }
    },
  },
  {
    fault: 'reads two header lines as one',
    caughtBy: 'repeated-header',
    receiver: class extends ReceiverByHand {
      first = Number.NaN
      override header({ headers }: IncomingMessage) {
        const header = String(headers['service-signature'] ?? '')
        const [fresh = '', stale] = header.split(/, (?=t=)/)
        this.first = Number(/t=(\d+)/.exec(fresh)?.[1])
        return stale ?? header
      }
      override isFresh() {
        return super.isFresh(this.first)
      }
    },
  },
  {
    fault: 'breaks on a header with many signatures',
    caughtBy: 'long-header',
    receiver: class extends ReceiverByHand {
      override parseHeader(header: string) {
        if (header.length > 4096) throw new RangeError('too many signatures')
        return super.parseHeader(header)
      }
    },
  },
  {
    fault: 'relies on the Service-Event-Id header',
    caughtBy: 'id-header-missing',
    receiver: class extends ReceiverByHand {
      override checkOrigin(request: IncomingMessage, event: ReceivedEvent) {
        if (!(request.headers['service-event-id'] as string).startsWith('evt_'))
          throw new Refused(400, 'no id')
        super.checkOrigin(request, event)
      }
    },
  },
  {
    fault: 'does not compare the id of the header with the one of the body',
    caughtBy: 'id-mismatch',
    receiver: class extends ReceiverByHand {
      override checkOrigin() {}
    },
  },
]
