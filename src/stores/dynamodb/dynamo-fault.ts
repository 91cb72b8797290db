import { fullMessage } from '../../error-text.js'
import { StoreError, type StoreReason } from '../../errors.js'

/** Wraps an error of DynamoDB or its client. The message says what failed, the likely cause and the fix. */
export function dynamoFault(doing: string, cause: unknown): StoreError {
  const said = cause instanceof Error ? `${cause.name}: ${fullMessage(cause)}` : String(cause)
  const known = faults.find(([names]) => isFault(cause, ...names))
  const [, advice = `likely cause: it is unreachable for a moment; ${repeated}`, reason] = known ?? []
  return new StoreError(`DynamoDB could not ${doing} (${said}); ${advice}`, { cause, reason })
}

/** Whether DynamoDB answered with one of these errors. */
export const isFault = (error: unknown, ...names: string[]): error is Error =>
  error instanceof Error && names.includes(error.name)

const repeated = 'fix: none here, the sender delivers again; repeat other calls, such as start()'

const faults: readonly (readonly [names: readonly string[], advice: string, reason: StoreReason])[] = [
  [
    ['ResourceNotFoundException'],
    'likely cause: the table is missing; fix: create it in this region',
    'not_migrated',
  ],
  [
    ['AccessDeniedException', 'UnrecognizedClientException'],
    'likely cause: its IAM role; fix: allow dynamodb:GetItem and dynamodb:UpdateItem on the table',
    'denied',
  ],
  [
    ['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'],
    'likely cause: the table has too little capacity; fix: raise it, or bill the table per request',
    'busy',
  ],
  [
    ['ValidationException'],
    'likely cause: the key of the table; fix: give it the key event_key, a string',
    'not_migrated',
  ],
]
