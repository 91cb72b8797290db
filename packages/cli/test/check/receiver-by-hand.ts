import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const secret = 'whsec_test_check_secret'

export const expectedSignature = (t: string, body: Buffer) =>
  createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')

export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  readonly environment?: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface SignatureHeader {
  readonly t: string
  readonly v1: readonly string[]
}

/** An answer other than 2xx, thrown from any step. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/**
 * A correct receiver on node:http without this project's code, one method a step, so that a broken one overrides the step
 * that it gets wrong. It keeps events in memory, which is enough for a test.
 */
export class ReceiverByHand {
  secrets = [secret]
  toleranceSeconds = 300
  maxBodyBytes = 1024 * 1024
  /** How often each event took effect. */
  readonly effects = new Map<string, number>()
  readonly done = new Map<string, string>()
  readonly underWay = new Set<string>()

  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.admit(request)
      const body = await this.readBody(request)
      this.verify(request, body)
      const event = this.parse(body)
      this.checkOrigin(request, event)
      await this.once(event, body, async () => this.work(event))
      this.answer(response, 200, { ok: true })
    } catch (error) {
      this.fail(request, response, error)
    }
  }

  admit({ method, headers }: IncomingMessage): void {
    if (method !== 'POST') {
      throw new Refused(405, 'POST only')
    }
    if (!/^application\/json *(;|$)/.test(headers['content-type'] ?? '')) {
      throw new Refused(415, 'JSON only')
    }
    if (headers['content-encoding']) {
      throw new Refused(415, 'not compressed')
    }
  }

  async readBody(request: IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > this.maxBodyBytes) {
        throw new Refused(413, 'too large')
      }
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  verify(request: IncomingMessage, body: Buffer): void {
    const header = this.parseHeader(this.header(request))
    if (!this.isSigned(header, body)) {
      throw new Refused(401, 'wrong signature')
    }
    if (!this.isFresh(Number(header.t))) {
      throw new Refused(401, 'outside the tolerance')
    }
  }

  header({ rawHeaders, headers }: IncomingMessage): string {
    const count = rawHeaders.filter((name) => name.toLowerCase() === 'service-signature').length
    if (count !== 1) {
      throw new Refused(401, 'not one signature header')
    }
    return headers['service-signature'] as string
  }

  parseHeader(header: string): SignatureHeader {
    if (header.length > 4096) {
      throw new Refused(401, 'too long')
    }
    const elements = header.split(',').map((element) => element.trim())
    const of = (tag: string) =>
      elements.filter((each) => each.startsWith(`${tag}=`)).map((each) => each.slice(tag.length + 1))
    const [t, ...more] = of('t')
    const v1 = of('v1')
    if (t === undefined || more.length > 0 || !/^\d{1,12}$/.test(t)) {
      throw new Refused(401, 'not one t')
    }
    if (v1.length === 0) {
      throw new Refused(401, 'no v1')
    }
    return { t, v1 }
  }

  isSigned({ t, v1 }: SignatureHeader, body: Buffer): boolean {
    const given = v1.filter((each) => /^[0-9a-f]{64}$/.test(each)).map((each) => Buffer.from(each, 'hex'))
    const expected = this.secrets.map((each) =>
      createHmac('sha256', each).update(`${t}.`).update(body).digest(),
    )
    return given.some((signature) => expected.some((digest) => timingSafeEqual(digest, signature)))
  }

  isFresh(t: number): boolean {
    return Math.abs(Date.now() / 1000 - t) <= this.toleranceSeconds
  }

  parse(body: Buffer): ReceivedEvent {
    try {
      const event = JSON.parse(this.decode(body))
      if (typeof event?.id === 'string' && typeof event.data === 'object' && event.data) {
        return event
      }
    } catch {}
    throw new Refused(400, 'not an event')
  }

  decode(body: Buffer): string {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  }

  checkOrigin({ headers }: IncomingMessage, { id }: ReceivedEvent): void {
    if ((headers['service-event-id'] ?? id) !== id) {
      throw new Refused(400, 'another id in the header')
    }
  }

  /** What makes two deliveries the same event. */
  key({ id }: ReceivedEvent, _body: Buffer): string {
    return id
  }

  async once(event: ReceivedEvent, body: Buffer, work: () => Promise<void>): Promise<void> {
    const key = this.key(event, body)
    const hash = createHash('sha256').update(body).digest('hex')
    const known = this.done.get(key)
    if (known !== undefined && known !== hash) {
      throw new Refused(400, 'other content')
    }
    if (known !== undefined) {
      return
    }
    if (this.underWay.has(key)) {
      throw new Refused(503, 'in progress')
    }
    this.underWay.add(key)
    try {
      await work()
      this.done.set(key, hash)
    } finally {
      this.underWay.delete(key)
    }
  }

  /** The effect comes a moment later, as in a database. */
  async work({ id }: ReceivedEvent): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 5))
    this.effects.set(id, (this.effects.get(id) ?? 0) + 1)
  }

  fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const status = error instanceof Refused ? error.status : 500
    if (!request.complete) {
      request.resume()
      // To close a connection with unread bytes resets it, and the response may be lost. The sender closes it instead.
      response.setHeader('connection', 'keep-alive')
    }
    this.answer(response, status, { error: error instanceof Refused ? error.message : 'internal error' })
  }

  answer(response: ServerResponse, status: number, body: object): void {
    if (response.destroyed) {
      return
    }
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(status === 405 && { allow: 'POST' }),
    })
    response.end(JSON.stringify(body))
  }
}

export interface Running {
  readonly url: string
  /** The counter of effects, as `--probe` takes it. */
  readonly probe: string
  close(): Promise<void>
}

/** Serves a receiver at /webhooks and its counter at /effects/ID. */
export async function serve(receiver: ReceiverByHand): Promise<Running> {
  const server = createServer((request, response) => {
    const id = /^\/effects\/(.+)$/.exec(request.url ?? '')?.[1]
    if (id === undefined) {
      void receiver.respond(request, response)
    } else {
      response.end(JSON.stringify({ count: receiver.effects.get(decodeURIComponent(id)) ?? 0 }))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${base}/webhooks`,
    probe: `${base}/effects/{id}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
