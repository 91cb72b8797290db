import type { IncomingMessage } from 'node:http'
import { type ReceivedEvent, ReceiverByHand, Refused, type SignatureHeader } from '../receiver-by-hand.js'
import type { Broken } from './broken.js'

/** Faults in how the signature header is read. */
export const headers: readonly Broken[] = [
  {
    fault: 'matches the whole header with one pattern',
    caughtBy: 'other-tags',
    also: ['several-signatures'],
    receiver: class extends ReceiverByHand {
      override parseHeader(header: string) {
        const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
        if (t === '') {
          throw new Refused(401, 'malformed')
        }
        return { t, v1: [v1] }
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
        if (header.length > 4096) {
          throw new RangeError('too many signatures')
        }
        return super.parseHeader(header)
      }
    },
  },
  {
    fault: 'relies on the Service-Event-Id header',
    caughtBy: 'id-header-missing',
    receiver: class extends ReceiverByHand {
      override checkOrigin(request: IncomingMessage, event: ReceivedEvent) {
        if (!(request.headers['service-event-id'] as string).startsWith('evt_')) {
          throw new Refused(400, 'no id')
        }
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
