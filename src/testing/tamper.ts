import type { SignedBody } from './delivery.js'

/**
 * Changes a delivery as an attacker, a proxy or a body parser does. Each function returns a new delivery and signs nothing.
 * To test a stale delivery, sign it with `ageSeconds` instead.
 */
export const tamper = {
  /** Flips one bit of the byte at `offset`. Default: the middle byte. Throws `RangeError` for an offset outside the body. */
  body<D extends SignedBody>(delivery: D, offset = delivery.body.length >> 1): D {
    const body = Buffer.from(delivery.body)
    const byte = body.at(offset)
    if (byte === undefined) {
      throw new RangeError(`the body has no byte ${offset}`)
    }
    body[offset < 0 ? body.length + offset : offset] = byte ^ 1
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
    return withSignature(delivery, (header) =>
      header.replace(/t=(\d+)/, (_, time: string) => `t=${Number(time) + seconds}`),
    )
  },

  /** Parses the body and serializes it again, as a body parser does: the same JSON in other bytes. */
  reserialize<D extends SignedBody>(delivery: D): D {
    const value: unknown = JSON.parse(delivery.body.toString())
    const spaced = Buffer.from(JSON.stringify(value, undefined, 2))
    const body = spaced.equals(delivery.body) ? Buffer.from(JSON.stringify(value)) : spaced
    return { ...delivery, body }
  },

  /** Removes a header, as a proxy does that forwards only known headers. */
  dropHeader<D extends SignedBody>(delivery: D, name: string): D {
    const entries = Object.entries(delivery.headers).filter(([key]) => key !== name.toLowerCase())
    return { ...delivery, headers: Object.fromEntries(entries) }
  },

  /** Sets a header. */
  setHeader<D extends SignedBody>(delivery: D, name: string, value: string): D {
    return { ...delivery, headers: { ...delivery.headers, [name.toLowerCase()]: value } }
  },
} as const

function withSignature<D extends SignedBody>(delivery: D, change: (header: string) => string): D {
  return tamper.setHeader(delivery, 'service-signature', change(delivery.headers['service-signature'] ?? ''))
}
