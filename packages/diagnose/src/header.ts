import type { Change } from './causes.js'
import type { HeaderPart } from './diagnosis.js'
import { age, time } from './time.js'

/** One way to understand a header. */
export interface Reading {
  /** The literal digits of `t`. */
  readonly timestampText: string
  readonly signatures: readonly string[]
  /** What had to be corrected to read it so; none for the way that the receiver reads it. */
  readonly changes: readonly Change[]
}

const headerName = /^\s*service-signature\s*[:=]\s*/i
const quotes = /^\s*(["'])(.*)\1\s*$/s
const maxSignatures = 16
const maxLength = 4096

/** Every way to read a header, strictest first; none where it has no `t` and `v1` at all. */
export function readings(header: string | readonly string[] | undefined): Reading[] {
  const values = (typeof header === 'string' ? [header] : (header ?? [])).filter((value) => value !== '')
  const isRepeated = values.length > 1
  return values.flatMap((value) => readValue(value, isRepeated))
}

function readValue(value: string, isRepeated: boolean): Reading[] {
  const changes: Change[] = []
  let text = value
  const add = (change: Change) => {
    if (!changes.some(({ code }) => code === change.code)) {
      changes.push(change)
    }
  }
  const strip = (pattern: RegExp, replacement: string, change: Change) => {
    const stripped = text.replace(pattern, replacement)
    if (stripped !== text) {
      add(change)
    }
    text = stripped
  }
  strip(headerName, '', {
    code: 'header_name_included',
    evidence: 'The value begins with “Service-Signature:”.',
  })
  strip(quotes, '$2', { code: 'header_quoted', evidence: 'The value begins and ends with a quotation mark.' })
  // Spaces and tabs around the value are no part of it. Those beside a comma are judged below.
  strip(/[^\S \t]\s*|(?<=[^\s,])[ \t]+(?=[^\s,])/g, '', {
    code: 'header_white_space',
    evidence: 'The value was broken into several lines, or has a space in the middle.',
  })

  if (text.split(',').some((element) => isMalformed(element.trim()))) {
    changes.push({ code: 'header_malformed_part', evidence: 'A part of it is empty, or is not tag=value.' })
  }
  const groups = byTimestamp(text)
  if (isRepeated || groups.length > 1) {
    changes.push({ code: 'header_repeated', evidence: 'It has more than one t, or arrived more than once.' })
  } else if (/[ \t],|,[ \t]/.test(text)) {
    add({
      code: 'header_white_space',
      evidence: 'It has white space beside a comma. Its sender wrote it so, or two headers were joined.',
    })
  }
  if (value.length > maxLength || groups.some(({ signatures }) => signatures.length > maxSignatures)) {
    changes.push({ code: 'header_oversized', evidence: `It has ${value.length} characters.` })
  }
  return groups.map((group) => ({ ...group, changes: [...changes, ...milliseconds(group.timestampText)] }))
}

/** What the receiver rejects wherever it stands. A `t` that is no number leaves nothing to read. */
const isMalformed = (element: string) => element.indexOf('=') < 1

/**
 * A value that was joined from several has several `t`, each before its signatures. An empty signature counts, as it does for
 * the receiver, but is not enough.
 */
function byTimestamp(text: string): { timestampText: string; signatures: string[] }[] {
  const groups: { timestampText: string; signatures: string[] }[] = []
  const early: string[] = []
  for (const part of text.split(',')) {
    const element = part.trim()
    if (/^t=\d{1,16}$/.test(element)) {
      groups.push({ timestampText: element.slice(2), signatures: [] })
    } else if (element.startsWith('v1=')) {
      ;(groups.at(-1)?.signatures ?? early).push(element.slice(3))
    }
  }
  groups[0]?.signatures.unshift(...early)
  return groups.filter(({ signatures }) => signatures.some((signature) => signature !== ''))
}

function milliseconds(timestampText: string): Change[] {
  if (timestampText.length <= 12) {
    return []
  }
  return [{ code: 'timestamp_in_milliseconds', evidence: `t has ${timestampText.length} digits, not 10.` }]
}

/** Seconds, whatever unit `t` has: 13 digits are milliseconds, 16 are microseconds. */
export function toSeconds(timestampText: string): number {
  const unit = timestampText.length > 14 ? 1_000_000 : timestampText.length > 12 ? 1000 : 1
  return Math.floor(Number(timestampText) / unit)
}

/** Every element of a header with what it says. */
export function explainParts(
  header: string | readonly string[] | undefined,
  now: number,
  toleranceSeconds: number,
): HeaderPart[] {
  const values = typeof header === 'string' ? [header] : (header ?? [])
  return values
    .flatMap((value) => (value === '' ? [] : value.split(',')))
    .map((element) => {
      const text = element.trim()
      const at = text.indexOf('=')
      const [tag, value] = at < 0 ? ['', text] : [text.slice(0, at), text.slice(at + 1)]
      return { tag, value, meaning: meaningOf(tag, value, now, toleranceSeconds) }
    })
}

function meaningOf(tag: string, value: string, now: number, toleranceSeconds: number): string {
  switch (tag) {
    case 't':
      return meaningOfTime(value, now, toleranceSeconds)
    case 'v1':
      return meaningOfSignature(value)
    case '':
      return 'not a tag=value pair: the receiver rejects the header'
    default:
      return 'an unknown tag: the receiver skips it'
  }
}

function meaningOfTime(value: string, now: number, toleranceSeconds: number): string {
  if (!/^\d{1,16}$/.test(value)) {
    return 'not a time in unix seconds'
  }
  const seconds = toSeconds(value)
  const unit = value.length > 14 ? 'microseconds' : 'milliseconds'
  const doubt = value.length > 12 ? ` if these are ${unit}; the receiver expects seconds` : ''
  const verdict = Math.abs(now - seconds) <= toleranceSeconds ? 'within' : 'outside'
  return `${time(seconds)}, ${age(now - seconds)}: ${verdict} the tolerance of ${toleranceSeconds} s${doubt}`
}

function meaningOfSignature(value: string): string {
  if (value === '') {
    return 'an empty signature'
  }
  if (/^[0-9a-f]{64}$/i.test(value)) {
    return '32 bytes in hex'
  }
  if (/^[A-Za-z0-9+/]{43}=$/.test(value)) {
    return '32 bytes in base64'
  }
  if (/^[A-Za-z0-9_-]{43}=?$/.test(value)) {
    return '32 bytes in base64url'
  }
  if (/^[0-9a-f]+$/i.test(value)) {
    return `${value.length} hex digits; a signature has 64`
  }
  return `${value.length} characters; an HMAC-SHA-256 has 64 in hex, 44 in base64`
}
