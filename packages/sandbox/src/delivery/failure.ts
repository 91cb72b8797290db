/** What went wrong on the network. `chaos` is a simulated failure. */
export type FailureKind =
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'unreachable'
  | 'name_not_resolved'
  | 'address_not_allowed'
  | 'certificate'
  | 'tls'
  | 'invalid_answer'
  | 'chaos'
  | 'other'

export interface Failure {
  readonly kind: FailureKind
  /** The code of the operating system, of Node.js or of the fault; such as `ECONNRESET`. */
  readonly code: string | undefined
  readonly message: string
}

/** The attempt took longer than its timeout. */
export class AttemptTimeout extends Error {
  readonly code = 'attempt_timeout'
}

/** Classifies the error of a request. */
export function failureOf(error: NodeJS.ErrnoException): Failure {
  const { code, message } = error
  return { kind: kindOf(code ?? ''), code, message: message || (code ?? 'unknown error') }
}

function kindOf(code: string): FailureKind {
  const named = Object.hasOwn(kinds, code) ? kinds[code] : undefined
  if (named) {
    return named
  }
  if (code.startsWith('HPE_')) {
    return 'invalid_answer'
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return 'certificate'
  }
  return /SSL|TLS/.test(code) ? 'tls' : 'other'
}

const kinds: Readonly<Record<string, FailureKind>> = {
  attempt_timeout: 'timeout',
  address_not_allowed: 'address_not_allowed',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  EPROTO: 'tls',
}
