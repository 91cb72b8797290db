import type { IncomingMessage, ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { ReceiverByHand, Refused } from '../receiver-by-hand.js'
import type { Broken } from './broken.js'

/** Faults in how a request is read. */
export const requests: readonly Broken[] = [
  {
    fault: 'reads a body of any size',
    caughtBy: 'too-large',
    receiver: class extends ReceiverByHand {
      override maxBodyBytes = Number.POSITIVE_INFINITY
    },
  },
  {
    fault: 'closes the connection on a body that is too large',
    caughtBy: 'too-large',
    verdict: 'warn',
    receiver: class extends ReceiverByHand {
      override fail(request: IncomingMessage, response: ServerResponse, error: unknown) {
        if (error instanceof Refused && error.status === 413) {
          request.socket.resetAndDestroy()
        } else {
          super.fail(request, response, error)
        }
      }
    },
  },
  {
    fault: 'breaks on a body that a parser has skipped',
    caughtBy: 'wrong-content-type',
    receiver: class extends ReceiverByHand {
      override admit(request: IncomingMessage) {
        if (request.headers['content-type'] === 'text/plain') {
          throw new TypeError('body is undefined')
        }
        super.admit(request)
      }
    },
  },
  {
    fault: 'unpacks a body before verifying it',
    caughtBy: 'compressed-body',
    verdict: 'warn',
    receiver: class extends ReceiverByHand {
      override admit({ headers, method, rawHeaders }: IncomingMessage) {
        const { 'content-encoding': _, ...rest } = headers
        super.admit({ headers: rest, method, rawHeaders } as IncomingMessage)
      }
      override async readBody(request: IncomingMessage) {
        const body = await super.readBody(request)
        return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
      }
    },
  },
  {
    fault: 'breaks on a GET',
    caughtBy: 'other-methods',
    receiver: class extends ReceiverByHand {
      override admit(request: IncomingMessage) {
        if (request.method === 'GET') {
          throw new TypeError('no content-length')
        }
        super.admit(request)
      }
    },
  },
  {
    fault: 'takes a PUT for a POST',
    caughtBy: 'other-methods',
    verdict: 'warn',
    receiver: class extends ReceiverByHand {
      override admit({ headers, method }: IncomingMessage) {
        super.admit({ headers, method: method === 'PUT' ? 'POST' : method } as IncomingMessage)
      }
    },
  },
  {
    fault: 'compares the content type with its parameters',
    caughtBy: 'content-type-parameters',
    receiver: class extends ReceiverByHand {
      override admit(request: IncomingMessage) {
        super.admit(request)
        if (request.headers['content-type'] !== 'application/json') {
          throw new Refused(415, 'JSON only')
        }
      }
    },
  },
  {
    fault: 'reads no body without Content-Length',
    caughtBy: 'chunked',
    receiver: class extends ReceiverByHand {
      override readBody(request: IncomingMessage) {
        const isChunked = request.headers['content-length'] === undefined
        return isChunked ? Promise.resolve(Buffer.alloc(0)) : super.readBody(request)
      }
    },
  },
  {
    fault: 'rejects a sender that asks before it uploads',
    caughtBy: 'expect-continue',
    receiver: class extends ReceiverByHand {
      override admit(request: IncomingMessage) {
        if (request.headers.expect) {
          throw new Refused(417, 'no expectations')
        }
        super.admit(request)
      }
    },
  },
  {
    fault: 'waits one second for an upload',
    caughtBy: 'slow-upload',
    receiver: class extends ReceiverByHand {
      override readBody(request: IncomingMessage) {
        const late = new Promise<never>((_, reject) => {
          const timer = setTimeout(() => reject(new Refused(408, 'too slow')), 1000)
          request.once('close', () => clearTimeout(timer))
        })
        return Promise.race([super.readBody(request), late])
      }
    },
  },
  {
    fault: 'claims the event before it has arrived',
    caughtBy: 'aborted-upload',
    receiver: class extends ReceiverByHand {
      readonly claimed = new Set<string>()
      override async readBody(request: IncomingMessage) {
        const id = String(request.headers['service-event-id'])
        if (this.claimed.has(id)) {
          throw new Refused(503, 'in progress')
        }
        this.claimed.add(id)
        const body = await super.readBody(request)
        this.claimed.delete(id)
        return body
      }
    },
  },
  {
    fault: 'collects the body as text, chunk by chunk',
    caughtBy: 'unicode',
    receiver: class extends ReceiverByHand {
      override async readBody(request: IncomingMessage) {
        if (this.isLarge(request)) {
          return super.readBody(request)
        }
        const chunks: Buffer[] = []
        for await (const chunk of request) {
          chunks.push(chunk)
        }
        const isText = chunks.every((chunk) => chunk.toString() !== '\ufffd')
        return isText ? Buffer.concat(chunks) : Buffer.from(chunks.join(''))
      }
      isLarge = ({ headers }: IncomingMessage) => headers['content-length'] === undefined
    },
  },
  {
    fault: 'stops reading from a connection after it has rejected a delivery',
    caughtBy: 'connection-reuse',
    options: { only: ['connections'], timeoutSeconds: 3 },
    receiver: class extends ReceiverByHand {
      override fail(request: IncomingMessage, response: ServerResponse, error: unknown) {
        const { socket } = request
        response.once('finish', () => setImmediate(() => socket.pause()))
        super.fail(request, response, error)
      }
    },
  },
]
