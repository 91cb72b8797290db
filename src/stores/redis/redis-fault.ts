import { fullMessage } from '../../error-text.js'
import { StoreError, type StoreReason } from '../../errors.js'
import { isRefusal } from './redis-client.js'
import { TooFewReplicas } from './replicas.js'

/** Wraps an error of a client or a server. The message says what failed, the likely cause and the fix. */
export function redisFault(doing: string, cause: unknown): StoreError {
  const said = cause instanceof Error ? fullMessage(cause) : String(cause)
  return new StoreError(`Redis could not ${doing} (${said}); ${advice(cause)}`, {
    cause,
    reason: reasonOf(cause),
  })
}

/** Whether the server will never allow this to the user, by the messages of Redis 6.2, 7 and 8 and of Valkey. */
export function isDenied(error: unknown): boolean {
  return (
    isRefusal(error) && /^NOPERM|can't run this command|no permission|unknown command/i.test(error.message)
  )
}

/** The likely cause and the fix. */
export function advice(cause: unknown): string {
  if (cause instanceof TooFewReplicas) {
    return 'likely cause: a replica is down or behind; fix: restore it, or lower minReplicas'
  }
  if (isDenied(cause)) {
    return 'likely cause: the ACL of its user; fix: allow +@scripting +@hash +@keyspace +time, and the prefix'
  }
  // The text of node-redis. Its client connects again by itself only after it was connected once.
  if (cause instanceof Error && cause.message === 'The client is closed') {
    return 'likely cause: it was never connected, or was closed; fix: await client.connect()'
  }
  if (!isRefusal(cause)) {
    return 'likely cause: it is down or unreachable; fix: none here, the client connects again by itself'
  }
  return knownFault(cause)?.[1] ?? 'likely cause: see the message; fix: see the log of Redis'
}

function reasonOf(cause: unknown): StoreReason {
  if (isDenied(cause)) {
    return 'denied'
  }
  return (isRefusal(cause) && knownFault(cause)?.[2]) || 'unavailable'
}

// Redis 6.2 says “ERR Error running script ... -OOM ...”. Later versions begin with the code.
const knownFault = ({ message }: Error) =>
  faults.find(([codes]) => codes.some((code) => new RegExp(`\\b${code}\\b`).test(message)))

const faults: readonly (readonly [codes: readonly string[], advice: string, reason?: StoreReason])[] = [
  [
    ['OOM'],
    'likely cause: it is at its maxmemory; fix: raise maxmemory, claims are rejected until then',
    'full',
  ],
  [['READONLY'], 'likely cause: the client is connected to a replica; fix: connect it to the master'],
  [['MISCONF'], 'likely cause: it cannot write to its disk; fix: see the log of Redis', 'full'],
  [
    ['NOAUTH', 'WRONGPASS'],
    'likely cause: the password is wrong or missing; fix: give the client the right one',
    'denied',
  ],
  [['WRONGTYPE'], 'likely cause: something else writes keys of this prefix; fix: choose another prefix'],
  [
    ['LOADING', 'BUSY', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN'],
    'likely cause: it is busy; fix: none, it passes',
    'busy',
  ],
]
