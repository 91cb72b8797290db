import type { BodyForm } from './bodies.js'
import type { Change } from './causes.js'
import type { Reading } from './header.js'
import { type Head, heads, type IdCandidate } from './heads.js'
import { hmac, type Key } from './hmac.js'
import type { KeyCandidate } from './keys.js'
import { pauser } from './pauser.js'
import type { FullScheme } from './scheme.js'
import { type ReadSignature, signatureFinder } from './signatures.js'

export interface SearchSpace {
  readonly readings: readonly Reading[]
  readonly ids: readonly IdCandidate[]
  readonly keys: readonly KeyCandidate[]
  readonly bodies: readonly BodyForm[]
  readonly scheme: FullScheme
  readonly onProgress?: ((tried: number) => void) | undefined
}

/** Corrections that together make the signature match, with the scheme under which it does. */
export interface Match {
  readonly changes: readonly Change[]
  readonly scheme: FullScheme
  readonly timestampText: string
  readonly key: Key
  /** The bytes that were signed, without the head. */
  readonly body: Uint8Array
}

export interface SearchResult {
  readonly match?: Match
  readonly tried: number
  /** Whether every combination was tried, unless one matched. */
  readonly isComplete: boolean
}

/** A search does not look for more corrections than these. */
const maxCost = 5
/** How many bytes to hash where more than one correction is needed; a search takes a few seconds at most. */
const maxBytes = 256 * 1024 * 1024
/** What an HMAC costs beside its bytes, in bytes. */
const overhead = 2048

/** A head under one reading of the header. */
interface Front extends Head {
  readonly reading: Reading
  readonly find: ReturnType<typeof signatureFinder>
  readonly cost: number
}

/**
 * Tries combinations of corrections. Smaller combinations come first, so every correction of a match is needed.
 */
export async function search(space: SearchSpace): Promise<SearchResult> {
  const fronts = frontsOf(space)
  const pause = pauser(space.onProgress)
  let tried = 0
  let bytes = 0
  for (let cost = 0; cost <= maxCost; cost++) {
    for (const form of space.bodies) {
      const rest = cost - form.cost
      if (rest < 0 || !canCost(rest, fronts, space.keys)) {
        continue
      }
      if (cost > 1 && bytes > maxBytes) {
        return { tried, isComplete: false }
      }
      const body = form.make()
      bytes += body.length * form.effort
      for (const front of fronts) {
        const keys = space.keys.filter(({ changes }) => changes.length === rest - front.cost)
        if (keys.length === 0) {
          continue
        }
        const content = joined(front.text, body)
        for (const key of keys) {
          const signature = front.find(await hmac(key.key, content))
          tried++
          bytes += content.length + overhead
          if (signature) {
            return { match: matchOf({ form, body, front, key, signature }), tried, isComplete: true }
          }
          await pause(tried)
        }
      }
    }
  }
  return { tried, isComplete: true }
}

function frontsOf({ readings, ids, scheme }: SearchSpace): Front[] {
  return readings.flatMap((reading) => {
    const find = signatureFinder(reading.signatures, scheme.encoding)
    return heads(reading, ids, scheme.content).map((head) => ({
      ...head,
      reading,
      find,
      cost: reading.changes.length + head.changes.length,
    }))
  })
}

const canCost = (cost: number, fronts: readonly Front[], keys: readonly KeyCandidate[]) =>
  fronts.some((front) => keys.some(({ changes }) => changes.length === cost - front.cost))

function matchOf(found: {
  readonly form: BodyForm
  readonly body: Uint8Array
  readonly front: Front
  readonly key: KeyCandidate
  readonly signature: ReadSignature
}): Match {
  const { form, body, front, key, signature } = found
  const { content, reading } = front
  return {
    changes: [...reading.changes, ...front.changes, ...key.changes, ...form.changes, ...signature.changes],
    scheme: { content, encoding: signature.encoding, ...key.options },
    timestampText: reading.timestampText,
    key: key.key,
    body,
  }
}

const ascii = new TextEncoder()

function joined(head: string, body: Uint8Array): Uint8Array {
  if (head === '') {
    return body
  }
  const content = new Uint8Array(head.length + body.length)
  content.set(ascii.encode(head))
  content.set(body, head.length)
  return content
}
