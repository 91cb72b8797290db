/**
 * Encodes any string as a text that Postgres can store: without zero bytes and unpaired surrogates. Keys and hashes
 * of a receiver stay as they are.
 */
export const toText = (value: string): string => (isPlain.test(value) ? value : JSON.stringify(value))

export const fromText = (text: string): string => (text.startsWith('"') ? JSON.parse(text) : text)

const isPlain = /^[!#-~][ -~]*$/
