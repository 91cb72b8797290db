import type { HandlerContext } from '../dispatch/handlers.js'
import { invalidOption } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import { givenOptions } from '../given-options.js'
import { resolveScheme } from '../signature/scheme.js'
import { checkSecret } from '../signature/secrets.js'
import { signPayload } from '../signature/sign.js'

/** Where {@link forward} posts events. */
export interface ForwardOptions {
  /** An `https:` URL; `http:` only for a loopback host, or with `allowHttp`. Private addresses are allowed. */
  readonly url: string
  /** The secret that the next receiver verifies with. Not the secret of the sender. */
  readonly secret: string
  /** How long the whole request may take, in seconds. Default 10 s. */
  readonly timeoutSeconds?: number | undefined
  /** Allows `http:` to any host, such as one inside a cluster. Default false. */
  readonly allowHttp?: boolean | undefined
}

/**
 * Makes a handler that posts the exact bytes of an event to another URL, with a new signature. A response of 2xx is success.
 * After any other response, including a redirect, the handler rejects, so the event is retried. The next receiver gets the
 * same event id, so it recognizes duplicates. Throws `ConfigurationError` (`invalid_option`, `unknown_option`, `invalid_secret`).
 *
 * @example
 * const receiver = createReceiver({ secret, store, fallback: forward({ url: 'https://ledger.internal/webhooks', secret: newSecret }) })
 */
export function forward(
  options: ForwardOptions,
): (event: WebhookEvent, context: HandlerContext) => Promise<void> {
  givenOptions('forward', options, ['url', 'secret', 'timeoutSeconds', 'allowHttp'])
  const { secret, timeoutSeconds = 10, allowHttp = false } = options
  const url = checkUrl(options.url, allowHttp)
  if (!(typeof timeoutSeconds === 'number' && timeoutSeconds > 0 && timeoutSeconds <= 86_400)) {
    throw invalidOption('timeoutSeconds must be a positive number, at most a day')
  }
  checkSecret(secret, resolveScheme(undefined))

  return async function forwardEvent({ id, raw }, { signal }) {
    // Not AbortSignal.timeout(): Node collects one that only AbortSignal.any() refers to, and then it never aborts.
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(timeoutError(timeoutSeconds)), timeoutSeconds * 1000)
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          // A header cannot hold every id, and the signed body has it too.
          ...(/^[\x21-\x7e]+$/.test(id) && { 'service-event-id': id }),
          'service-signature': await signPayload({ body: raw, secret, id }),
        },
        body: new Uint8Array(raw),
        // A redirect would send customers' data to an address that the program did not choose.
        redirect: 'manual',
        signal: AbortSignal.any([signal, limit.signal]),
      })
      await response.body?.cancel()
      if (!response.ok) {
        throw new Error(`forwarding to ${url.host} was answered ${response.status}`)
      }
    } finally {
      clearTimeout(timer)
    }
  }
}

const timeoutError = (seconds: number) =>
  new DOMException(`the next receiver did not respond within ${seconds} s`, 'TimeoutError')

function checkUrl(given: string, allowHttp: unknown): URL {
  if (typeof allowHttp !== 'boolean') {
    throw invalidOption('allowHttp must be a boolean')
  }
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined
  const isLoopback = url && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url && (url.username !== '' || url.password !== '')) {
    // fetch rejects such a URL with an error that quotes it, and that error is kept with each event.
    throw invalidOption('url must have no user name and no password')
  }
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && (allowHttp || isLoopback))) {
    return url
  }
  throw invalidOption(
    url?.protocol === 'http:'
      ? 'url must be https:, or http: on localhost; for http: to another host set allowHttp: true'
      : 'url must be an https: URL, such as https://ledger.internal/webhooks',
  )
}
