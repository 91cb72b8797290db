/** The `test` function of vitest, jest, node:test or a similar runner. */
export interface TestFunction {
  (name: string, run: () => Promise<void>): unknown
  readonly skip?: (name: string, run: () => Promise<void>) => unknown
}

export interface SuiteOptions {
  /** The names of tests to skip, with the reason. The name of a skipped test shows the reason. */
  readonly skip?: readonly { readonly reason: string; readonly tests: readonly string[] }[] | undefined
  /** Length of the leases that the suite lets expire, in seconds. Default 1. Set more for a slow backend. */
  readonly shortLeaseSeconds?: number | undefined
}

/** Returns another instance over the same backend, or the same instance if `isShared` is false. The test closes it. */
type Make<Subject> = () => Promise<Subject>

/** What a law gets to test. */
export interface Trial<Subject> {
  readonly make: Make<Subject>
  readonly shortLeaseSeconds: number
}

export interface Law<Subject> {
  (trial: Trial<Subject>): Promise<void>
  /** The capabilities of the subject that it is about. Absent: every subject obeys it. */
  readonly needs?: readonly string[]
}

export type Laws<Subject> = Readonly<Record<string, Law<Subject>>>

/** Registers a test for every law. Throws if `skip` names an unknown law, so that no skip outlives its law. */
export function registerLaws<Subject extends { close(): Promise<void>; readonly isShared?: false }>(
  test: TestFunction,
  laws: Laws<Subject>,
  makeSubject: () => Subject | Promise<Subject>,
  { skip = [], shortLeaseSeconds = 1 }: SuiteOptions,
): void {
  const reasons = new Map(skip.flatMap(({ reason, tests }) => tests.map((name) => [name, reason] as const)))
  for (const name of reasons.keys()) {
    if (!Object.hasOwn(laws, name)) {
      throw new Error(`there is no law “${name}” to skip`)
    }
  }
  for (const [name, law] of Object.entries(laws)) {
    const reason = reasons.get(name)
    if (reason !== undefined) {
      const skipped = `${name} (skipped: ${reason})`
      if (test.skip) {
        test.skip(skipped, async () => {})
      } else {
        test(skipped, async () => {})
      }
      continue
    }
    test(name, async () => {
      const made = new Set<Subject>()
      const make = async () => {
        const [only] = made
        if (only?.isShared === false) {
          return only
        }
        const subject = await makeSubject()
        made.add(subject)
        return subject
      }
      try {
        await law({ make, shortLeaseSeconds })
      } finally {
        for (const subject of made) {
          await subject.close()
        }
      }
    })
  }
}

/** Returns a new key in the form that a receiver makes. */
export const freshKey = () => `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', '')

/** Returns unusual keys that a careless store confuses. They differ from each other and from those of other tests. */
export function oddKeys(): readonly string[] {
  const fresh = freshKey()
  const digits = fresh.replace(/[a-f]/g, '7')
  const shapes = [
    ...[
      '',
      '\0',
      '\0\0',
      ':',
      '::',
      ' ',
      '\n',
      '\r\n',
      '*',
      '?',
      '{',
      '}',
      '{}',
      '/',
      '\\',
      "'",
      '"',
      '%s',
      '$1',
    ],
    ...['évé', 'e\u0301ve\u0301', 'É', 'событие', '事件', '🦊', '👩‍👩‍👧', '\uFEFF', '\u202E'],
    ...["'; DROP TABLE events; --", '__proto__', 'constructor', 'a'.repeat(2048), 'a'.repeat(2049)],
  ]
  return [
    ...shapes.map((shape) => `${fresh}${shape}`),
    ...shapes.slice(1).map((shape) => `${shape}${fresh}`),
    ...[digits, `0${digits}`, `-${digits}`, `${digits}.0`, fresh.toUpperCase()],
  ]
}

/** Unusual keys that must not get a unique prefix. A test frees them afterwards. */
export const bareKeys: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  '0',
  '-1',
  'null',
  ':',
  '\0',
]

/** Calls `look` repeatedly until it returns a value. */
export async function eventually<T>(look: () => Promise<T | undefined>, seconds = 30): Promise<T> {
  const startedAt = performance.now()
  for (;;) {
    const found = await look()
    if (found !== undefined) {
      return found
    }
    if (performance.now() - startedAt > seconds * 1000) {
      throw new Error(`not within ${seconds} s`)
    }
    await pause(0.05)
  }
}

export const pause = (seconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, seconds * 1000)
  })
