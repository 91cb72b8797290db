import { changed, given } from './value-fault.js'

/** How a call ended. */
export type Outcome =
  | { readonly kind: 'resolved'; readonly value: unknown }
  | { readonly kind: 'rejected'; readonly error: unknown }

/** In place of the name of a call. */
export const everyCall = 'every call'

/** One thing that is wrong in one call. */
export interface Fault {
  /** The call, as `callOf` names it. */
  readonly call: string
  /** What is wrong: a kind, and mostly the path of a value, such as `another 0.key`. */
  readonly change: string
}

export interface Calls {
  readonly counts: Map<string, number>
  readonly fault?: Fault | undefined
  readonly right?: ReadonlyMap<string, Outcome> | undefined
  /** Every call rejects now, so that a law ends which would go on forever. */
  isOver?: boolean
  readonly note?: ((call: string, args: readonly unknown[], outcome: Outcome) => void) | undefined
}

type Verb = (...args: unknown[]) => Promise<unknown>

/** Returns an object whose verbs do the same, but for the one call that has the fault. Parts such as `inbox.bulk` too. */
export function withFault<Subject extends object>(subject: Subject, calls: Calls, prefix = ''): Subject {
  return Object.fromEntries(
    Object.entries(subject).map(([name, part]) => {
      if (typeof part === 'function') {
        return [name, name === 'close' ? part : watched(`${prefix}${name}`, part as Verb, calls)]
      }
      const isPart = typeof part === 'object' && part !== null
      return [name, isPart ? withFault(part, calls, name === 'inbox' ? '' : `${name}.`) : part]
    }),
  ) as Subject
}

function watched(name: string, verb: Verb, calls: Calls): Verb {
  return async (...args) => {
    if (calls.isOver) {
      throw new Error('the law takes too long')
    }
    const id = callOf(name, args)
    const count = (calls.counts.get(id) ?? 0) + 1
    calls.counts.set(id, count)
    const call = count === 1 ? id : `${id} #${count}`
    const { fault, right, note } = calls
    const isFaulty = fault?.call === call || fault?.call === everyCall
    const run = isFaulty
      ? () => faulty(verb, args, fault?.change ?? '', right?.get(call))
      : () => verb(...args)
    if (!note) {
      return await run()
    }
    try {
      const value = await run()
      note(call, args, { kind: 'resolved', value })
      return value
    } catch (error) {
      note(call, args, { kind: 'rejected', error })
      throw error
    }
  }
}

/** The name of a call: its verb, and what it is given, but for what is new in every run of a law. */
export function callOf(name: string, args: readonly unknown[]): string {
  return [name, ...args.map(wordOf)].filter((word) => word !== '').join(' ')
}

const isFresh = (text: string) => /[0-9a-f]{32}/.test(text)

function wordOf(value: unknown): string {
  if (typeof value === 'string') {
    return isFresh(value) ? '' : JSON.stringify(value.slice(0, 40))
  }
  if (typeof value === 'number' || typeof value === 'boolean') {
    return String(value)
  }
  if (typeof value !== 'object' || value === null || value instanceof Date || ArrayBuffer.isView(value)) {
    return ''
  }
  // An event, and who changes something.
  if ('durations' in value || 'actor' in value) {
    return ''
  }
  return Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .map(([name, part]) => {
      const word = wordOf(part)
      return word === '' ? name : `${name}=${word.includes(' ') ? `(${word})` : word}`
    })
    .join(' ')
}

async function faulty(
  verb: Verb,
  args: unknown[],
  change: string,
  right: Outcome | undefined,
): Promise<unknown> {
  const [kind = '', ...rest] = change.split(' ')
  const path = rest.join(' ')
  switch (kind) {
    case 'skipped':
      if (right?.kind === 'rejected') {
        throw right.error
      }
      return right?.value
    case 'twice': {
      const first = await verb(...args)
      await verb(...args).catch(() => {})
      return first
    }
    case 'rejects':
      throw new Error('a fault of the inbox')
    case 'resolves':
      return await verb(...args).catch(() => undefined)
    case 'replaces': {
      // Another error than the law asks for.
      return await verb(...args).catch(() => {
        throw new Error('a fault of the inbox')
      })
    }
    case 'applies': {
      // It rejects, and has changed something.
      await verb(...args.map((each) => (typeof each === 'function' ? lenient(each as Verb) : each)))
      throw right?.kind === 'rejected' ? right.error : new Error('a fault of the inbox')
    }
    case 'uncalled':
      return await verb(...args.map((each) => (typeof each === 'function' ? async () => {} : each)))
    case 'recalled':
      return await verb(
        ...args.map((each) =>
          typeof each === 'function'
            ? async (...given: unknown[]) => {
                await (each as Verb)(...given)
                return await (each as Verb)(...given)
              }
            : each,
        ),
      )
    case 'told':
      return await verb(
        ...args.map((each) =>
          typeof each === 'function'
            ? (...told: unknown[]) => (each as Verb)(...(changed(told, path) as unknown[]))
            : each,
        ),
      )
    case 'given':
      return await verb(...given(args, path))
    default:
      return changed(await verb(...args), change)
  }
}

const lenient =
  (callback: Verb): Verb =>
  async (...args) => {
    try {
      return await callback(...args)
    } catch {
      return undefined
    }
  }
