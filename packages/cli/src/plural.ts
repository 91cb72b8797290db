/** `1 event`, `2 events`. */
export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? noun : many}`
