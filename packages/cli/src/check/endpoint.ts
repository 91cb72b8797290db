import { type SignatureScheme, signPayload } from 'webhook-inbox'
import {
  type Delivery,
  deliveryOf,
  type FixtureOptions,
  fixture,
  type SignedBody,
} from 'webhook-inbox/testing'
import { type Answer, type Exchange, exchange, type WireRequest } from '../http/exchange.js'

/** The endpoint to check, and how to make deliveries for it. */
export interface EndpointOptions {
  readonly url: URL
  readonly secret: string
  /** The secret that is being rotated out; needed for the case on rotation. */
  readonly oldSecret?: string | undefined
  /** Default: `t` + `.` + body, in hex. */
  readonly scheme?: SignatureScheme | undefined
  /** The tolerance of the receiver, in seconds. Default 300. */
  readonly toleranceSeconds?: number | undefined
  /** How long a response may take. Default 15 s, as senders wait. */
  readonly timeoutSeconds?: number | undefined
  /** The envelopes that the receiver must read. Default `'both'`. */
  readonly envelope?: 'both' | Representation | undefined
  /** The event to send. Default: `transfer.settled` with sample data. */
  readonly sample?: { readonly type: string; readonly data: object } | undefined
  /** Whether this is a production endpoint, which must reject events of the sandbox. Default false. */
  readonly isProduction?: boolean | undefined
  /** Headers to send with every delivery, such as the key of a gateway. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A URL with `{id}` whose GET says how often the event took effect. */
  readonly probe?: string | undefined
  /** How long to wait for an effect. Default 5 s. */
  readonly settleSeconds?: number | undefined
}

type Representation = 'camelCase' | 'snake_case'

/** How a delivery differs from an ordinary one. */
export interface EventOptions extends FixtureOptions {
  readonly type?: string
  readonly data?: object
}

/** One delivery that was made, for the cases that look at all responses. */
export interface Exchanged {
  readonly exchange: Exchange
  /** The correct signatures of the delivery that were not sent. A response must not contain them. */
  readonly untold: readonly string[]
}

/** The receiver under check, as its sender sees it: signs deliveries, makes them, and remembers the responses. */
export class Endpoint {
  readonly options: EndpointOptions
  readonly toleranceSeconds: number
  readonly timeoutSeconds: number
  /** All requests and responses so far. */
  readonly log: Exchanged[] = []
  /** The envelope to use if a case does not name one. */
  representation: Representation
  /** Texts that no report may contain. Any later response may repeat them. */
  readonly #hidden = new Set<string>()

  constructor(options: EndpointOptions) {
    for (const secret of [options.secret, options.oldSecret]) {
      if (secret) {
        this.#hidden.add(secret)
      }
    }
    this.options = options
    this.toleranceSeconds = options.toleranceSeconds ?? 300
    this.timeoutSeconds = options.timeoutSeconds ?? 15
    this.representation = options.envelope === 'snake_case' ? 'snake_case' : 'camelCase'
  }

  /** A signed delivery of a valid event with an id of its own. */
  event(options: EventOptions = {}): Promise<Delivery> {
    const { sample, isProduction } = this.options
    const { type = sample?.type ?? 'transfer.settled', data, ...rest } = options
    const isSample = type === sample?.type
    return fixture(type, {
      representation: this.representation,
      ...(isProduction && { environment: 'production' }),
      ...this.signing,
      ...rest,
      data: { ...(isSample && sample.data), ...data },
    })
  }

  /** Signs any bytes. `id` becomes the Service-Event-Id header. */
  sign(
    body: Uint8Array | string,
    id: string,
    options: { readonly ageSeconds?: number; readonly secret?: string | readonly string[] } = {},
  ): Promise<SignedBody> {
    return deliveryOf(body, { ...this.signing, id, ...options })
  }

  /** Delivers as usual: one POST with a declared length. */
  deliver({ headers, body }: SignedBody): Promise<Exchange> {
    return this.request({ headers, body }, body)
  }

  /**
   * Sends any request. `body` is the bytes that arrive, if they are known. The log keeps the original response. The returned
   * response contains no secret, so no report does.
   */
  async request(request: WireRequest, body?: Uint8Array): Promise<Exchange> {
    const { url } = this.options
    const headers: WireRequest['headers'] = {
      'user-agent': 'webhook-inbox-check',
      ...this.options.headers,
      ...request.headers,
    }
    const answer = await exchange(url, { ...request, headers }, this.timeoutSeconds)
    const untold = body ? await this.expectedSignatures(headers, body) : []
    this.log.push({ exchange: answer, untold })
    // Signatures that were sent are correct for their own body. Short ones can be parts of ordinary words.
    const known = [...untold, ...signaturesOf(String(headers['service-signature'] ?? ''))]
    for (const each of known) {
      if (each.length >= 32) {
        this.#hidden.add(each)
      }
    }
    return answer.kind === 'none' ? answer : this.#withoutSecrets(answer)
  }

  private async expectedSignatures(headers: WireRequest['headers'], body: Uint8Array): Promise<string[]> {
    const { secret, scheme } = this.options
    const given = String(headers['service-signature'] ?? '')
    const timestamp = /t=(\d{1,12})(?:,|$)/.exec(given)?.[1]
    const id = headers['service-event-id']
    const signsId = scheme?.content === 'id.timestamp.body'
    if (timestamp === undefined || (signsId && typeof id !== 'string')) {
      return []
    }
    const header = await signPayload({
      body,
      secret,
      timestamp: Number(timestamp),
      ...(scheme && { scheme }),
      ...(typeof id === 'string' && { id }),
    })
    return signaturesOf(header).filter((signature) => !given.includes(signature))
  }

  #withoutSecrets(answer: Answer): Answer {
    const hidden = [...this.#hidden]
    const clean = (text: string) => hidden.reduce((clear, each) => clear.replaceAll(each, '[hidden]'), text)
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, clean(value)])
    return { ...answer, headers: Object.fromEntries(headers), body: clean(answer.body) }
  }

  private get signing() {
    const { secret, scheme } = this.options
    return { secret, ...(scheme && { scheme }) }
  }
}

/** Every `v1` of a header that we made. */
function signaturesOf(header: string): string[] {
  return header
    .split(',')
    .filter((element) => element.startsWith('v1='))
    .map((element) => element.slice(3))
}

/** A secret of the same form, so that every scheme can use it as a key. */
export function otherSecret(secret: string): string {
  const at = Math.max(0, secret.length - 5)
  return secret.slice(0, at) + (secret[at] === 'a' ? 'b' : 'a') + secret.slice(at + 1)
}
