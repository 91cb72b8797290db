/** Says that later events of the resource are done. The server counts up to ten. An empty text if there is none. */
export function laterWords(count: number, runner: 'Its handler' | 'The copy'): string {
  if (count === 0) {
    return ''
  }
  return count === 1
    ? `One later event of its resource is done. ${runner} runs after it, out of order.`
    : `${count === 10 ? 'Ten or more' : count} later events of its resource are done. ${runner} runs after them, out of order.`
}
