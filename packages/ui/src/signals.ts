/**
 * Values that tell their readers of changes, as `@preact/signals-core` has them. That library also has batches, life cycles
 * and models, which no page of ours uses. It was a twentieth of each page.
 */
export interface ReadonlySignal<Value> {
  readonly value: Value
  /** The value, for somebody who does not want to be told of its changes. */
  readonly peek: () => Value
}

export interface Signal<Value> extends ReadonlySignal<Value> {
  value: Value
}

interface Reader {
  /** The values it has read, which tell it of their next change. */
  readonly sources: Set<Set<Reader>>
  readonly onChange: () => void
}

/** Who reads now. */
let current: Reader | undefined
/** Effects that are to run, one after the other. */
const due = new Set<() => void>()
let depth = 0

export function signal<Value>(initial: Value): Signal<Value> {
  let value = initial
  const readers = new Set<Reader>()
  return {
    get value() {
      noteReader(readers)
      return value
    },
    set value(next) {
      if (next !== value) {
        value = next
        thenDue(() => tell(readers))
      }
    },
    peek: () => value,
  }
}

/** A value that is made from others, when it is read and one of them has changed. */
export function computed<Value>(make: () => Value): ReadonlySignal<Value> {
  let value: Value
  let isOld = true
  const readers = new Set<Reader>()
  const reader: Reader = {
    sources: new Set(),
    // Also if it is old already: the last attempt to make it may have failed.
    onChange() {
      isOld = true
      tell(readers)
    },
  }
  const peek = () => {
    if (isOld) {
      value = readAs(reader, make)
      isOld = false
    }
    return value
  }
  return {
    get value() {
      noteReader(readers)
      return peek()
    },
    peek,
  }
}

/** Runs immediately, and again after each change of what it has read. Returns how to end it. */
export function effect(run: () => void): () => void {
  const runAgain = () => readAs(reader, run)
  const reader: Reader = { sources: new Set(), onChange: () => due.add(runAgain) }
  const end = () => {
    forgetSources(reader)
    due.delete(runAgain)
  }
  try {
    thenDue(runAgain)
  } catch (error) {
    end()
    throw error
  }
  return end
}

/** An effect that runs more often than this after one change would run forever. */
const mostRuns = 100

/**
 * An effect that changes a value ends first. Then those run that have read it, which may be itself. If one throws, the others still
 * run, and the first error is thrown at the end.
 */
function thenDue(run: () => void): void {
  const errors: unknown[] = []
  const attempt = (step: () => void) => {
    try {
      step()
    } catch (error) {
      errors.push(error)
    }
  }
  depth++
  attempt(run)
  const runs = new Map<() => void, number>()
  while (depth === 1 && due.size > 0) {
    const [next] = due
    if (next) {
      due.delete(next)
      const count = (runs.get(next) ?? 0) + 1
      runs.set(next, count)
      attempt(count > mostRuns ? failEndless : next)
    }
  }
  depth--
  if (errors.length > 0) {
    throw errors[0]
  }
}

function failEndless(): never {
  throw new Error('an effect changes what it reads each time')
}

function noteReader(readers: Set<Reader>): void {
  if (current) {
    readers.add(current)
    current.sources.add(readers)
  }
}

/** A copy, because a reader that is told may read again. */
const tell = (readers: Set<Reader>) => {
  for (const { onChange } of [...readers]) {
    onChange()
  }
}

/** What it reads this time takes the place of what it read before. */
function readAs<Value>(reader: Reader, read: () => Value): Value {
  const before = current
  forgetSources(reader)
  current = reader
  try {
    return read()
  } finally {
    current = before
  }
}

function forgetSources(reader: Reader): void {
  for (const readers of reader.sources) {
    readers.delete(reader)
  }
  reader.sources.clear()
}
