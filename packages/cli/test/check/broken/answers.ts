import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type ReceivedEvent, ReceiverByHand, Refused, secret } from '../receiver-by-hand.js'
import type { Broken } from './broken.js'

/** A receiver that answers a delivery without a signature in this way. */
const unsigned = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  class extends ReceiverByHand {
    override async respond(request: IncomingMessage, response: ServerResponse) {
      if ('service-signature' in request.headers) {
        await super.respond(request, response)
      } else {
        answer(request, response)
      }
    }
  }

/** Faults in what is answered. */
export const answers: readonly Broken[] = [
  {
    fault: 'redirects to the same path with a slash',
    caughtBy: 'valid-delivery',
    options: { only: ['valid-camel-case', 'rejects'] },
    receiver: class extends ReceiverByHand {
      override async respond(request: IncomingMessage, response: ServerResponse) {
        request.resume()
        response.writeHead(308, { location: `${request.url}/` }).end()
      }
    },
  },
  {
    fault: 'hangs up on a delivery without a signature',
    caughtBy: 'unsigned',
    why: 'no response arrived',
    options: { only: ['valid-camel-case', 'unsigned'] },
    receiver: unsigned((request) => request.socket.destroy()),
  },
  {
    fault: 'redirects a delivery without a signature to a login page',
    caughtBy: 'unsigned',
    why: 'it was redirected instead of rejected',
    options: { only: ['valid-camel-case', 'unsigned'] },
    receiver: unsigned((request, response) => {
      request.resume()
      response.writeHead(302, { location: '/login' }).end()
    }),
  },
  {
    fault: 'limits the rate of deliveries without a signature',
    caughtBy: 'unsigned',
    verdict: 'warn',
    why: 'the receiver limits the rate, which proves nothing',
    options: { only: ['valid-camel-case', 'unsigned'] },
    receiver: class extends ReceiverByHand {
      override verify(request: IncomingMessage, body: Buffer) {
        if (!('service-signature' in request.headers)) {
          throw new Refused(429, 'slow down')
        }
        super.verify(request, body)
      }
    },
  },
  {
    fault: 'works for most of the time that a sender waits',
    caughtBy: 'answer-time',
    verdict: 'warn',
    options: { only: ['valid-camel-case', 'answers'], timeoutSeconds: 3 },
    receiver: class extends ReceiverByHand {
      override async work(event: ReceivedEvent) {
        await pause(1200)
        await super.work(event)
      }
    },
  },
  {
    fault: 'answers with a whole page',
    caughtBy: 'answer-size',
    verdict: 'warn',
    receiver: class extends ReceiverByHand {
      override answer(response: ServerResponse, status: number, body: object) {
        super.answer(response, status, status === 401 ? { page: 'x'.repeat(200_000) } : body)
      }
    },
  },
  {
    fault: 'answers with the secret',
    caughtBy: 'leaks-secret',
    receiver: class extends ReceiverByHand {
      override verify(request: IncomingMessage, body: Buffer) {
        if (!('service-signature' in request.headers)) {
          throw new Refused(401, `no HMAC with ${this.secrets}`)
        }
        super.verify(request, body)
      }
    },
  },
  {
    fault: 'answers with the signature that it expected',
    caughtBy: 'leaks-signature',
    receiver: class extends ReceiverByHand {
      override verify(request: IncomingMessage, body: Buffer) {
        const { t } = this.parseHeader(this.header(request))
        const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
        try {
          super.verify(request, body)
        } catch {
          throw new Refused(401, `expected ${expected}`)
        }
      }
    },
  },
  {
    fault: 'answers with a stack trace',
    caughtBy: 'leaks-stack',
    receiver: class extends ReceiverByHand {
      override fail(_request: IncomingMessage, response: ServerResponse, error: unknown) {
        const { status = 500, stack } = error as Refused
        this.answer(response, status, { stack })
      }
    },
  },
]
