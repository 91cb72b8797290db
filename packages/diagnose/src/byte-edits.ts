import type { Change } from './causes.js'

/** A correction of bytes that need not be JSON. */
export interface ByteEdit {
  readonly change: Change
  readonly make: () => Uint8Array
}

const [lineFeed, carriageReturn, space, tab] = [10, 13, 32, 9]
const byteOrderMark = [0xef, 0xbb, 0xbf]

/** Every edit that changes these bytes. */
export function byteEdits(body: Uint8Array): ByteEdit[] {
  return [...edgeEdits(body), ...lineEndingEdits(body), ...markEdits(body), ...latin1Edits(body)]
}

function edgeEdits(body: Uint8Array): ByteEdit[] {
  const edits: ByteEdit[] = [
    append(body, '\\n', [lineFeed]),
    append(body, '\\r\\n', [carriageReturn, lineFeed]),
  ]
  const last = body.at(-1)
  if (last === lineFeed) {
    const length = body.at(-2) === carriageReturn ? 2 : 1
    const evidence = `The given body ends with ${length === 2 ? '\\r\\n' : '\\n'}, the signed one does not.`
    edits.push({
      change: { code: 'body_line_break_added', evidence },
      make: () => body.subarray(0, body.length - length),
    })
  }
  const [start, end] = trimmed(body)
  if (start > 0 || end < body.length) {
    const before = start === 1 ? '1 byte' : `${start} bytes`
    const evidence = `The signed body is that without ${before} before it and ${body.length - end} after it.`
    edits.push({
      change: { code: 'body_white_space_added', evidence },
      make: () => body.subarray(start, end),
    })
  }
  return edits
}

function append(body: Uint8Array, name: string, bytes: readonly number[]): ByteEdit {
  return {
    change: { code: 'body_line_break_removed', evidence: `The signed body ends with ${name}.` },
    make: () => join(body, bytes),
  }
}

function trimmed(body: Uint8Array): [start: number, end: number] {
  let [start, end] = [0, body.length]
  while (start < end && isSpace(body[start])) {
    start++
  }
  while (end > start && isSpace(body[end - 1])) {
    end--
  }
  return [start, end]
}

const isSpace = (byte: number | undefined) =>
  byte === space || byte === tab || byte === lineFeed || byte === carriageReturn

function lineEndingEdits(body: Uint8Array): ByteEdit[] {
  if (!body.includes(lineFeed)) {
    return []
  }
  const edit = (made: string, make: () => Uint8Array): ByteEdit => ({
    change: { code: 'body_line_endings', evidence: `The lines of the signed body end with ${made}.` },
    make,
  })
  const edits = [edit('\\r\\n', () => withCarriageReturns(body))]
  if (body.includes(carriageReturn)) {
    edits.push(edit('\\n', () => withoutCarriageReturns(body)))
  }
  return edits
}

function withoutCarriageReturns(body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(body.length)
  let length = 0
  for (let at = 0; at < body.length; at++) {
    if (body[at] !== carriageReturn || body[at + 1] !== lineFeed) {
      bytes[length++] = body[at] as number
    }
  }
  return bytes.subarray(0, length)
}

function withCarriageReturns(body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(body.length + countBareLineFeeds(body))
  let length = 0
  for (let at = 0; at < body.length; at++) {
    if (isBareLineFeed(body, at)) {
      bytes[length++] = carriageReturn
    }
    bytes[length++] = body[at] as number
  }
  return bytes
}

function countBareLineFeeds(body: Uint8Array): number {
  let count = 0
  for (let at = body.indexOf(lineFeed); at >= 0; at = body.indexOf(lineFeed, at + 1)) {
    if (isBareLineFeed(body, at)) {
      count++
    }
  }
  return count
}

const isBareLineFeed = (body: Uint8Array, at: number) =>
  body[at] === lineFeed && body[at - 1] !== carriageReturn

function markEdits(body: Uint8Array): ByteEdit[] {
  const hasMark = byteOrderMark.every((byte, at) => body[at] === byte)
  if (hasMark) {
    const change: Change = { code: 'body_bom_added', evidence: 'The given body begins with EF BB BF.' }
    return [{ change, make: () => body.subarray(byteOrderMark.length) }]
  }
  const change: Change = { code: 'body_bom_removed', evidence: 'The signed body begins with EF BB BF.' }
  return [{ change, make: () => join(Uint8Array.from(byteOrderMark), body) }]
}

/** Only where a byte is not ASCII do the encodings differ. */
function latin1Edits(body: Uint8Array): ByteEdit[] {
  const wide = countWide(body)
  if (wide === 0) {
    return []
  }
  const edits: ByteEdit[] = [
    {
      change: {
        code: 'body_latin1',
        evidence: 'The signed body is the given one, read as latin1 and written as UTF-8.',
      },
      make: () => latin1ToUtf8(body, wide),
    },
  ]
  const narrowed = utf8ToLatin1(body)
  if (narrowed) {
    const evidence = 'The signed body is the given one, read as UTF-8 and written as latin1.'
    edits.push({ change: { code: 'body_latin1', evidence }, make: () => narrowed })
  }
  return edits
}

function countWide(body: Uint8Array): number {
  let count = 0
  for (let at = 0; at < body.length; at++) {
    if ((body[at] as number) > 0x7f) {
      count++
    }
  }
  return count
}

function latin1ToUtf8(body: Uint8Array, wide: number): Uint8Array {
  const bytes = new Uint8Array(body.length + wide)
  let length = 0
  for (const byte of body) {
    if (byte > 0x7f) {
      bytes[length++] = 0xc0 | (byte >> 6)
    }
    bytes[length++] = byte > 0x7f ? 0x80 | (byte & 0x3f) : byte
  }
  return bytes
}

/** `undefined` where the body is no UTF-8, or holds a character that latin1 does not have. */
function utf8ToLatin1(body: Uint8Array): Uint8Array | undefined {
  const bytes = new Uint8Array(body.length)
  let length = 0
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number
    if (byte <= 0x7f) {
      bytes[length++] = byte
      continue
    }
    const next = body[++at] ?? 0
    if ((byte !== 0xc2 && byte !== 0xc3) || (next & 0xc0) !== 0x80) {
      return undefined
    }
    bytes[length++] = ((byte & 0x03) << 6) | (next & 0x3f)
  }
  return bytes.subarray(0, length)
}

function join(first: ArrayLike<number>, second: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}
