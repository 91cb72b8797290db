import { UsageError } from '../exit.js'
import { HeaderList } from './header-list.js'

export interface CapturedRequest {
  readonly headers: HeaderList
  /** Absent if the capture has none, as that of `curl -v`. */
  readonly body?: Buffer
  /** What the person should know about the capture. */
  readonly notes: readonly string[]
}

/** Reads a raw HTTP/1.1 request. Throws `UsageError` for anything else. */
export function parseRawHttp(path: string, bytes: Buffer): CapturedRequest {
  const [headEnd, bodyStart] = blankLine(bytes)
  const head = bytes.toString('latin1', 0, headEnd)
  const [requestLine = '', ...lines] = head.split(/\r?\n/)
  if (!/^[A-Z]+ \S+( HTTP\/[\d.]+)?$/.test(requestLine)) {
    throw new UsageError(
      `${path} is no raw HTTP request: its first line must be such as POST /webhooks HTTP/1.1`,
    )
  }
  const headers = HeaderList.fromLines(path, lines)
  const rest = bytes.subarray(bodyStart)
  if (/\bchunked$/i.test(headers.one('transfer-encoding') ?? '')) {
    return { headers, body: unchunk(path, rest), notes: [] }
  }
  return { headers, ...bounded(path, rest, headers.one('content-length')) }
}

/** Where the headers end and the body begins; a capture may have been saved with either line ending. */
function blankLine(bytes: Buffer): [headEnd: number, bodyStart: number] {
  const ends = ['\r\n\r\n', '\n\n']
    .map((mark) => [bytes.indexOf(mark), mark.length] as const)
    .filter(([at]) => at >= 0)
    .sort(([a], [b]) => a - b)
  const [first] = ends
  return first ? [first[0], first[0] + first[1]] : [bytes.length, bytes.length]
}

/** Content-Length says where the body ends; an editor that saved the file may have added a line break. */
function bounded(
  path: string,
  rest: Buffer,
  contentLength: string | undefined,
): { body: Buffer; notes: string[] } {
  if (contentLength === undefined) {
    return { body: rest, notes: [] }
  }
  const length = /^\d{1,15}$/.test(contentLength) ? Number(contentLength) : Number.NaN
  if (Number.isNaN(length)) {
    throw new UsageError(`${path} has a Content-Length that is no number of bytes`)
  }
  if (rest.length < length) {
    const notes = [
      `${path} has ${rest.length} bytes of body, Content-Length says ${length}: the capture is incomplete.`,
    ]
    return { body: rest, notes }
  }
  const extra = rest.length - length
  const notes =
    extra > 0 ? [`${path} has ${extra} bytes more than Content-Length says; they are ignored.`] : []
  return { body: rest.subarray(0, length), notes }
}

/** The maximum length of a line with a chunk size and its extensions. */
const longestSizeLine = 1000

function unchunk(path: string, bytes: Buffer): Buffer {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf('\r\n', at)
    const line = end < 0 ? '' : bytes.toString('latin1', at, Math.min(end, at + longestSizeLine))
    const size = Number.parseInt(/^[0-9a-f]{1,8}(?=[ \t;]|$)/i.exec(line)?.[0] ?? '', 16)
    if (Number.isNaN(size) || end + 2 + size > bytes.length) {
      throw new UsageError(`${path} has a chunked body that is cut off or malformed`)
    }
    if (size === 0) {
      return Buffer.concat(chunks)
    }
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}
