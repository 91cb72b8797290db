import type { Exchange } from '../http/exchange.js'

/** How wrong the clock of the endpoint is, if that explains a rejection: more than half of the tolerance, by its Date header. */
export function clockSkew(exchange: Exchange, toleranceSeconds: number): string | undefined {
  const date = exchange.kind === 'answer' ? Date.parse(exchange.headers.date ?? '') : Number.NaN
  const skew = Number.isNaN(date) ? 0 : Math.round((date - Date.now()) / 1000)
  if (Math.abs(skew) < toleranceSeconds / 2) {
    return undefined
  }
  return `its clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} this one`
}
