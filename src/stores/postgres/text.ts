/**
 * Any string as a text that Postgres can hold, and back: keys and hashes are opaque, but a text holds no zero byte and
 * no half of a surrogate pair. Those of a receiver stay as they are.
 */
export const toText = (value: string): string => (isPlain.test(value) ? value : JSON.stringify(value))

export const fromText = (text: string): string => (text.startsWith('"') ? JSON.parse(text) : text)

const isPlain = /^[!#-~][ -~]*$/
