import { UsageError } from './exit.js'

/** The whole number in the value of an option. Throws `UsageError` for anything else. */
export function wholeNumber(
  option: string,
  text: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: { readonly min?: number; readonly max?: number } = {},
): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) {
    return value
  }
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw new UsageError(`--${option} must be a whole number ${range}`)
}

const seconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** A duration such as `90`, `90s`, `15m`, `2h` or `7d`, in seconds. Throws `UsageError` for anything else. */
export function durationSeconds(option: string, text: string): number {
  const [, count, unit = 's'] = /^(\d+(?:\.\d+)?)(s|m|h|d)?$/.exec(text) ?? []
  if (count !== undefined) {
    return Number(count) * seconds[unit as keyof typeof seconds]
  }
  throw new UsageError(`--${option} must be a duration such as 90s, 15m, 2h or 7d`)
}

const day = 86_400

/** The value of `--timeout`, in seconds. A timer with a delay of more than 24.8 days fires immediately. */
export function timeoutSeconds(text: string): number {
  const limit = durationSeconds('timeout', text)
  if (limit > 0 && limit <= day) {
    return limit
  }
  throw new UsageError('--timeout must be more than 0, and at most a day')
}
