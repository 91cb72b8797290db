import type { ProblemCode, ProblemDocument } from './wire.js'

const kinds: Readonly<Record<ProblemCode, readonly [status: number, title: string]>> = {
  forbidden: [403, 'You may not do this'],
  rights_unknown: [503, 'The program could not check your rights'],
  rights_too_slow: [503, 'The program could not check your rights'],
  read_only: [403, 'The console is read-only'],
  foreign_origin: [403, 'The request is not from the page of the console'],
  not_found: [404, 'Not found'],
  masked_body: [409, 'A mask hides parts of the body'],
  unsupported_media_type: [415, 'The body must be JSON'],
  body_too_large: [413, 'The body is too large'],
  body_too_slow: [408, 'The body arrives too slowly'],
  invalid_request: [422, 'The request is not valid'],
  not_supported: [501, 'The store cannot do this'],
  too_slow: [504, 'The database takes too long'],
  busy: [503, 'Something else works on this now'],
  event_changed: [409, 'The event has changed'],
  pause_changed: [409, 'The pause has changed'],
  group_changed: [409, 'The cause has changed'],
  run_changed: [409, 'The operation has changed'],
  discard_changed: [409, 'The discard has changed'],
  preview_changed: [409, 'The preview is old'],
  under_way: [409, 'Another operation may change the same events'],
  stopping: [503, 'The program is stopping'],
  store_unavailable: [503, 'The store does not answer'],
  internal_error: [500, 'The console failed'],
}

/** A request that is rejected. The response is a problem document. */
export class Problem extends Error {
  override readonly name = 'Problem'
  constructor(
    readonly code: ProblemCode,
    detail: string,
    /** Further members of the problem document. */
    readonly also: Pick<ProblemDocument, 'underWay'> = {},
    /** Whether the detail says what became of a change: that nothing changed, or that it is unknown. */
    readonly saysOutcome = false,
  ) {
    super(detail)
  }
}

/** An error of the receiver, as a problem. The text of an unexpected error goes only to the log. */
export function problemOf(error: unknown, log: (line: string, cause: unknown) => void): Problem {
  if (error instanceof Problem) {
    return error
  }
  // Compared by name, because the program may have its own copy of the toolkit.
  const { name, code, detail, reason } = partsOf(error)
  if (reason === 'timeout') {
    return new Problem(
      'too_slow',
      'The database did not finish the query in time. Add a condition, such as a state or a time.',
    )
  }
  if (reason === 'busy') {
    return new Problem(
      'busy',
      'Another transaction holds a lock, such as that of a handler, an operator or a migration. Try again in a moment.',
    )
  }
  if (name === 'ConfigurationError') {
    return new Problem(code === 'invalid_store' ? 'not_supported' : 'invalid_request', detail ?? '')
  }
  if (name === 'ConflictError') {
    return new Problem('event_changed', 'The event changed since it was shown. Look at it again.')
  }
  log('webhook-inbox-console: a request failed', error)
  return name === 'StoreError'
    ? new Problem('store_unavailable', 'The database did not respond. The log of the program says why.')
    : new Problem('internal_error', 'The log of the program says why.')
}

/** A program may throw anything, such as an object whose properties throw. */
function partsOf(error: unknown): { name?: unknown; code?: unknown; detail?: string; reason?: unknown } {
  try {
    const { name, code, detail, reason } = Object(error)
    return { name, code, detail: String(detail), ...(name === 'StoreError' && { reason }) }
  } catch {
    return {}
  }
}

export function problemResponse({ code, message, also }: Problem): Response {
  const [status, title] = kinds[code]
  const body: ProblemDocument = { type: 'about:blank', title, status, detail: message, code, ...also }
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      // The rest of the body may still arrive, so the connection cannot be used again.
      ...(code.startsWith('body_too_') && { Connection: 'close' }),
    },
  })
}
