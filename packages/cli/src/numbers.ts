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
