import { excerpt } from '../printable.js'
import type { Exchange } from './exchange.js'

/** One line about a response: status, time, and the beginning of the body. */
export function describeExchange(exchange: Exchange): string {
  if (exchange.kind === 'none') {
    return exchange.problem
  }
  const { status, seconds, body, headers } = exchange
  const target =
    status >= 300 && status < 400 && headers.location ? ` to ${excerpt(headers.location, 100)}` : ''
  const shown = body === '' ? '' : `: ${excerpt(body.trim(), 120)}`
  return `${status}${target} in ${Math.round(seconds * 1000)} ms${shown}`
}
