import { idInBody } from './describe-body.js'
import type { DiagnoseInput } from './diagnosis.js'
import { requireAll } from './require-all.js'
import { type FullScheme, fullScheme } from './scheme.js'

const defaultToleranceSeconds = 300

/** An input with its defaults filled in. */
export interface Case extends DiagnoseInput {
  readonly scheme: FullScheme
  readonly toleranceSeconds: number
  readonly now: number
  /** The id that the body holds, if any. */
  readonly idInBody: string | undefined
}

export function caseOf(input: DiagnoseInput): Case {
  checkInput(input)
  return {
    ...input,
    scheme: fullScheme(input.scheme),
    toleranceSeconds: input.toleranceSeconds ?? defaultToleranceSeconds,
    now: input.now ?? Math.floor(Date.now() / 1000),
    idInBody: idInBody(input.body),
  }
}

export const isText = (value: unknown) => typeof value === 'string'

function checkInput(input: DiagnoseInput): void {
  const { body, header, secret, now, otherSecrets = [], otherDeliveries = [] } = input ?? {}
  requireAll([
    [body instanceof Uint8Array, 'body must be the raw bytes'],
    [[header ?? ''].flat().every(isText), 'header must be a string'],
    [isText(secret?.secret), 'secret must be an object with a name and a secret'],
    [now === undefined || Number.isFinite(now), 'now must be unix seconds'],
    [Array.isArray(otherSecrets), 'otherSecrets must be a list'],
    [Array.isArray(otherDeliveries), 'otherDeliveries must be a list'],
  ])
}
