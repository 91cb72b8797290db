import type { ExplainedBody } from './diagnosis.js'
import { maxJsonBytes } from './json/forms.js'

/** What the bytes look like, in one sentence: the faults of a body are often visible in it. */
export function describeBody(body: Uint8Array): ExplainedBody {
  const bytes = body.length
  if (bytes === 0) {
    return { bytes, description: 'empty' }
  }
  const start = body.subarray(0, maxJsonBytes)
  const text = decode(start, bytes > start.length)
  if (text === undefined) {
    return { bytes, description: 'not UTF-8' }
  }
  const notes = [bytes > maxJsonBytes ? 'text' : jsonLayout(text.replace(/^\ufeff/, ''))]
  if (text.startsWith('\ufeff')) {
    notes.push('begins with a byte order mark')
  }
  if (text.includes('\r\n')) {
    notes.push('lines end with \\r\\n')
  }
  if (body.at(-1) === 10) {
    notes.push('ends with a line break')
  }
  return { bytes, description: notes.join(', ') }
}

function decode(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    // A cut may go through a character; `stream` does not hold that against the text.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}

function jsonLayout(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return 'not JSON'
  }
  const indent = /^[{[]\r?\n([ \t]+)/.exec(text.trim())?.[1]
  if (indent !== undefined) {
    return indent.startsWith('\t') ? 'JSON indented by tabs' : `JSON indented by ${indent.length} spaces`
  }
  return /[\r\n]/.test(text.trim()) ? 'JSON on several lines' : 'JSON on one line'
}

/** The id of the event in the body, where it is a JSON object that has one. */
export function idInBody(body: Uint8Array): string | undefined {
  const text = decode(body, false)
  try {
    const value = JSON.parse(text?.replace(/^\ufeff/, '') ?? '') as { id?: unknown } | null
    return typeof value?.id === 'string' ? value.id : undefined
  } catch {
    return undefined
  }
}
