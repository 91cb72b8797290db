import type { SignatureScheme } from 'webhook-inbox'
import { idInBody } from './describe-body.js'
import type { DiagnoseInput } from './diagnosis.js'
import { defaultScheme } from './scheme.js'

const defaultToleranceSeconds = 300

/** An input with its defaults filled in. */
export interface Case extends DiagnoseInput {
  readonly scheme: Required<SignatureScheme>
  readonly toleranceSeconds: number
  readonly now: number
  /** The id that the body holds, if any. */
  readonly idInBody: string | undefined
}

export function caseOf(input: DiagnoseInput): Case {
  return {
    ...input,
    scheme: { ...defaultScheme, ...input.scheme },
    toleranceSeconds: input.toleranceSeconds ?? defaultToleranceSeconds,
    now: input.now ?? Math.floor(Date.now() / 1000),
    idInBody: idInBody(input.body),
  }
}
