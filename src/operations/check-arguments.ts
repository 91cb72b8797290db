import { codes } from '../codes.js'
import { invalidOption } from '../errors.js'
import { readable } from '../given-options.js'
import type { Audit, EndpointScope } from '../store/inbox.js'

/** Whose events or deliveries to list. */
export interface ScopeOption {
  /** Lists those of every endpoint of the store. Default false: those of this receiver’s endpoint. */
  readonly allEndpoints?: boolean | undefined
}

/** The scope that a store is asked for. Throws `ConfigurationError` `invalid_option`. */
export function scopeOf(
  { allEndpoints = false }: { allEndpoints?: unknown },
  endpoint: string,
): EndpointScope {
  if (typeof allEndpoints !== 'boolean') {
    throw invalidOption('allEndpoints must be a boolean')
  }
  return allEndpoints ? { allEndpoints, endpoint: undefined } : { allEndpoints, endpoint }
}

/** Longer than every id and key that this package stores. A longer one would fill the error and the log. */
const longestId = 1000

/** Throws `ConfigurationError` `invalid_option` for anything but a string that is not empty and not too long. */
export function checkId(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') {
    checkLength(name, value, longestId)
    return value
  }
  throw invalidOption(`${name} must be a string that is not empty`)
}

function checkLength(name: string, value: string, most: number): void {
  if (value.length > most) {
    throw invalidOption(`${name} must have ${most} characters at most`)
  }
}

/** Each list of audits shows reasons and actors in full. */
const longestReason = 10_000

/**
 * A character that a reader sees. White space, control characters and format characters are not visible. Nor are characters
 * that fonts show as nothing, such as U+3164 and the empty pattern of Braille. The console and the command line have the same
 * pattern.
 */
const visible = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Throws `ConfigurationError` `invalid_option` if a reason or an actor is missing, blank or too long. */
export function requireAudit(verb: string, audit: Partial<Audit> | undefined): void {
  for (const part of ['reason', 'actor'] as const) {
    const value: unknown = readable(part, () => audit?.[part])
    if (typeof value === 'string' && visible.test(value)) {
      checkLength(part, value, longestReason)
      continue
    }
    throw invalidOption(`${verb} needs ${part === 'actor' ? 'an' : 'a'} ${part}, which is kept for auditors`)
  }
}

/** Throws `ConfigurationError` `invalid_option` for anything but a code of a delivery, or nothing. */
export function checkCode(code: unknown): void {
  if (code !== undefined && !Object.keys(codes).includes(code as string)) {
    throw invalidOption('code must be a code of a delivery')
  }
}
