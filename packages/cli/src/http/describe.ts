import type { Exchange } from './exchange.js'

/** One line about an answer: status, time, and the beginning of the body. */
export function describeExchange(exchange: Exchange): string {
  if (exchange.kind === 'none') return exchange.problem
  const { status, seconds, body, headers } = exchange
  const target =
    status >= 300 && status < 400 && headers.location ? ` to ${oneLine(headers.location, 100)}` : ''
  const shown = body === '' ? '' : `: ${oneLine(body, 120)}`
  return `${status}${target} in ${Math.round(seconds * 1000)} ms${shown}`
}

/** Text from outside, made safe for one line of a terminal: bounded, without control characters. */
export function oneLine(text: string, maxLength: number): string {
  const bounded = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return bounded.replace(/\s+/g, ' ').replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
}
