import { ConfigurationError } from 'webhook-inbox'

/**
 * Paths, or a function that returns what to show for the value at a path; the same value to show it as it is. The function
 * must not return a promise. It gets the keys as a list as well, because a key may contain a dot.
 */
export type Mask = readonly string[] | ((path: string, value: unknown, keys: readonly string[]) => unknown)

/** A mask at one place of a body. There is one for each level of the body. */
export interface MaskAt {
  /**
   * What to show for the value here; the same value to show it as it is. `read` parses the value, and `sign` is the first
   * character of its JSON.
   */
  show(read: () => unknown, sign?: string): { readonly isHidden: boolean; readonly shown?: unknown }
  /** The mask at a member. `undefined` if it hides nothing in it. */
  below(key: string): MaskAt | undefined
  /** How many characters it reads here. They count towards the maximum cost. */
  readonly cost: number
}

/** The replacement of a masked value. */
export const masked = '•••'

/** Throws `ConfigurationError` `invalid_option` for anything but a mask. */
export function resolveMask(mask: unknown): MaskAt | undefined {
  if (mask === undefined) {
    return undefined
  }
  if (typeof mask === 'function') {
    if (mask.constructor.name === 'AsyncFunction') {
      throw new ConfigurationError('invalid_option', 'mask must not be async: return what to show')
    }
    return asked(mask as Exclude<Mask, readonly string[]>, [], '')
  }
  if (!Array.isArray(mask) || !mask.every((path) => typeof path === 'string' && path !== '')) {
    throw new ConfigurationError('invalid_option', 'mask must be a list of paths, or a function')
  }
  return covered(mask.map((path) => ({ rest: restOf(path), isNamed: true })))
}

const restOf = (path: string): readonly string[] => path.split('.').map(plain)

/**
 * A mask that hides nothing, and adds each of these paths to `found` that a value is at. So one look at a body tells it of all
 * paths, also of one below another.
 */
export function noting(paths: readonly string[], found: Set<string>): MaskAt {
  return notingBelow(
    paths.map((path) => ({ path, rest: restOf(path) })),
    found,
  )
}

interface RestOfPath {
  readonly path: string
  readonly rest: readonly string[]
}

function notingBelow(rests: readonly RestOfPath[], found: Set<string>): MaskAt {
  return {
    cost: rests.length,
    show() {
      for (const { path, rest } of rests) {
        if (rest.length === 0) {
          found.add(path)
        }
      }
      return { isHidden: false }
    },
    below(key) {
      const parts = restOf(key)
      const left = rests
        .filter(({ path, rest }) => leadsTo(rest[0], parts) && !found.has(path))
        .flatMap(({ path, rest }) => after(rest, parts).map((below) => ({ path, rest: below })))
      return left.length > 0 ? notingBelow(left, found) : undefined
    },
  }
}

/** Whether the mask hides the value at these keys, or one that contains it. */
export function isHidden(mask: MaskAt | undefined, keys: readonly string[]): boolean {
  let at = mask
  const value = {}
  for (const key of keys) {
    at = at?.below(key)
    if (at?.show(() => value).isHidden) {
      return true
    }
  }
  return false
}

/** The parts of a path below a place. `isNamed`: no `*` of the path leads to the place. */
interface Rest {
  readonly rest: readonly string[]
  readonly isNamed: boolean
}

/**
 * A mask of paths. `rests` are the parts below this place of each path that leads here.
 *
 * A body can have another form than an event: a list of events, or data that was encoded twice. The paths then lead to
 * nothing, so the value that probably contains their values is hidden.
 */
function covered(rests: readonly Rest[]): MaskAt {
  const isHere = rests.some(({ rest }) => rest.length === 0)
  const named = rests.filter(({ isNamed }) => isNamed)
  const hasMembers = named.some(({ rest: [next] }) => next !== '*' && !isIndex(next))
  const hidden = { isHidden: true, shown: masked }
  return {
    cost: rests.length,
    show(read, sign) {
      const isOtherForm = sign === '[' ? hasMembers : sign === '"' && named.length > 0 && isJsonText(read())
      return isHere || isOtherForm ? hidden : { isHidden: false }
    },
    below(key) {
      const parts = restOf(key)
      const left = rests
        .filter(({ rest: [first] }) => leadsTo(first, parts))
        .flatMap(({ rest, isNamed }) =>
          after(rest, parts).map((below) => ({ rest: below, isNamed: isNamed && rest[0] !== '*' })),
        )
      return left.length > 0 ? covered(left) : undefined
    },
  }
}

const isIndex = (part = '') => /^\d+$/.test(part)

/** Whether a text is an object, a list or a text in JSON, or the beginning of one. */
export const isJsonText = (text: unknown) => /^\s*[[{"]/.test(text as string)

/**
 * The rest of a path below a key; none if the path does not match. `*` is any key. A key with dots also matches the path with
 * the same text, so that rather more than less is hidden.
 */
function after(rest: readonly string[], parts: readonly string[]): (readonly string[])[] {
  const isSame = rest.slice(0, parts.length).every((part, i) => part === '*' || part === parts[i])
  const left = isSame ? [rest.slice(parts.length)] : []
  return rest[0] === '*' && parts.length > 1 ? [rest.slice(1), ...left] : left
}

/** Whether a path can lead to a key. Most keys match no path, and this is quick to see. */
const leadsTo = (first: string | undefined, parts: readonly string[]) => first === '*' || first === parts[0]

/** `phoneNumber` and `phone_number` are one field in the two envelopes of the service. */
const plain = (key: string) => key.replaceAll('_', '').toLowerCase()

/** A mask that is a function of the program. The body as a whole is never hidden. */
function asked(mask: Exclude<Mask, readonly string[]>, keys: readonly string[], path: string): MaskAt {
  return {
    cost: path.length + keys.length,
    show(read) {
      const value = read()
      const shown = mask(path, value, keys)
      if (isPromise(shown)) {
        // Without a listener, a rejection of the promise would end the process.
        shown.then(undefined, () => {})
        throw new TypeError('mask returned a promise; it must return what to show')
      }
      return keys.length > 0 && shown !== value ? { isHidden: true, shown } : { isHidden: false }
    },
    below: (key) => asked(mask, [...keys, key], keys.length === 0 ? key : `${path}.${key}`),
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
