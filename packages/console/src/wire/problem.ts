/** The response to what the console rejects, or cannot do. */
import type { ProblemCode } from './answer.js'
import type { RunView } from './bulk.js'

/** RFC 9457, with the media type `application/problem+json`. */
export interface ProblemDocument {
  readonly type: 'about:blank'
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ProblemCode
  /** Of `under_way`: all that would be shown now. */
  readonly underWay?: readonly RunView[]
}
