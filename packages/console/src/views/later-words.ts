import type { LaterDone } from '../wire.js'

/** Says that later events of the resource are done. The count stops at ten. An empty text if there is none. */
export function laterWords(count: number, runner: 'This event' | 'The copy'): string {
  if (count === 0) {
    return ''
  }
  return count === 1
    ? `A later event of the same resource is done. ${runner} runs after that one, out of order.`
    : `${count === 10 ? 'Ten or more' : count} later events of the same resource are done. ${runner} runs after those, out of order.`
}

/** The same of the events of a preview. An empty text if it is known that there is none. */
export function laterWordsOfMany({ count, lookedAt, isCapped }: LaterDone): string {
  if (count === 0 && !isCapped) {
    return ''
  }
  const digits = (number: number) => number.toLocaleString('en')
  const of = isCapped ? `the oldest ${digits(lookedAt)} of these` : 'these'
  const order = count > 0 ? ` ${count === 1 ? 'It' : 'Each'} runs after that one, out of order.` : ''
  const rest = isCapped ? ' The others were not looked at.' : ''
  return `Of ${of} events, ${count === 0 ? 'none has' : count === 1 ? '1 has' : `${digits(count)} have`} a later event of the same resource that is done.${order}${rest}`
}
