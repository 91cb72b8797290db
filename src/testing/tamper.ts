import { invalidOption } from '../errors.js'
import { readable } from '../given-options.js'
import { checkDelivery, type SignedBody } from './delivery.js'

/**
 * Changes a delivery as an attacker, a proxy or a body parser does. Each function returns a new delivery and signs nothing.
 * To test a stale delivery, sign it with `ageSeconds` instead. Throws `ConfigurationError` `invalid_option` for anything but a
 * delivery.
 */
export const tamper = {
  /** Flips one bit of the byte at `offset`, which may be negative. Default: the middle byte. */
  body<D extends SignedBody>(delivery: D, offset?: number): D {
    checkDelivery(delivery)
    const body = Buffer.from(delivery.body)
    const at = offset === undefined ? body.length >> 1 : offset
    const byte = Number.isInteger(at) ? body.at(at) : undefined
    if (byte === undefined) {
      throw invalidOption('offset must be the place of a byte of the body')
    }
    body[at < 0 ? body.length + at : at] = byte ^ 1
    return { ...delivery, body }
  },

  /** Changes one digit of every signature. The header stays well-formed, so the comparison itself must fail. */
  signature<D extends SignedBody>(delivery: D): D {
    return withSignature(delivery, (header) =>
      header.replace(/(v1=)(.)/g, (_, tag: string, digit: string) => tag + (digit === 'a' ? 'b' : 'a')),
    )
  },

  /** Moves `t` by this many seconds without signing again. Default 1. */
  timestamp<D extends SignedBody>(delivery: D, seconds = 1): D {
    if (!Number.isFinite(seconds)) {
      throw invalidOption('seconds must be a finite number')
    }
    return withSignature(delivery, (header) =>
      header.replace(/t=(\d+)/, (_, time: string) => `t=${Number(time) + seconds}`),
    )
  },

  /** Parses the body and serializes it again, as a body parser does: the same JSON in other bytes. */
  reserialize<D extends SignedBody>(delivery: D): D {
    checkDelivery(delivery)
    const value: unknown = readable('the JSON of the body', () => JSON.parse(delivery.body.toString()))
    const spaced = Buffer.from(JSON.stringify(value, undefined, 2))
    const body = spaced.equals(delivery.body) ? Buffer.from(JSON.stringify(value)) : spaced
    return { ...delivery, body }
  },

  /** Removes a header, as a proxy does that forwards only known headers. */
  dropHeader<D extends SignedBody>(delivery: D, name: string): D {
    checkDelivery(delivery)
    const dropped = lowerCase(name)
    const entries = Object.entries(delivery.headers).filter(([key]) => key !== dropped)
    return { ...delivery, headers: Object.fromEntries(entries) }
  },

  /** Sets a header. */
  setHeader<D extends SignedBody>(delivery: D, name: string, value: string): D {
    checkDelivery(delivery)
    return { ...delivery, headers: { ...delivery.headers, [lowerCase(name)]: checkText('the value', value) } }
  },
} as const

const lowerCase = (name: string) => checkText('the name of a header', name).toLowerCase()

function checkText(what: string, value: unknown): string {
  if (typeof value !== 'string') {
    throw invalidOption(`${what} must be a string`)
  }
  return value
}

function withSignature<D extends SignedBody>(delivery: D, change: (header: string) => string): D {
  checkDelivery(delivery)
  return tamper.setHeader(delivery, 'service-signature', change(delivery.headers['service-signature'] ?? ''))
}
