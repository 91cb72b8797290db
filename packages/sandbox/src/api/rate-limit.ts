import type { MiddlewareHandler } from 'hono'
import type { Env } from './app.js'
import { Problem } from './problems.js'

/** Responds 429 to a key that has made `perSecond` requests within the last second. */
export function limitRate(perSecond: number): MiddlewareHandler<Env> {
  const madeAt = new Map<string, number[]>()
  return (c, next) => {
    const key = c.get('apiKey')
    const now = performance.now()
    const recent = (madeAt.get(key) ?? []).filter((time) => now - time < 1000)
    madeAt.set(key, recent)
    if (recent.length >= perSecond) {
      const detail = `This key may make ${perSecond} requests a second.`
      throw new Problem('rate_limited', detail, { gap: 'G28', headers: { 'Retry-After': '1' } })
    }
    recent.push(now)
    return next()
  }
}
