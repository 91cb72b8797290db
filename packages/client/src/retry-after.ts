/**
 * What a `Retry-After` header asks for, in seconds from now: it holds seconds or an HTTP date. Undefined where it holds
 * neither.
 */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? ''
  if (/^\d{1,9}$/.test(value)) {
    return Number(value)
  }
  const until = httpDate(value)
  if (until === undefined) {
    return undefined
  }
  // By the clock of the service where it says its time: ours may be wrong.
  const now = httpDate(headers.get('date') ?? '') ?? Date.now()
  return Math.max(0, (until - now) / 1000)
}

/** `Date.parse` reads almost anything as a date, `-1` for one, so the form is checked first. */
function httpDate(value: string): number | undefined {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) {
    return undefined
  }
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}
