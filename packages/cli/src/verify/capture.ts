import { UsageError } from '../exit.js'
import { HeaderList } from './header-list.js'
import type { CapturedRequest } from './raw-http.js'

/** The request in the output of `curl -v`: the lines after `>`. The body is not part of it. */
export function parseCurl(path: string, text: string): CapturedRequest {
  const sent = text
    .split(/\r?\n/)
    .map((line) => /^(?:\d\d:\d\d:\d\d\.\d+ )?> (.*)$/.exec(line)?.[1])
    .filter((line) => line !== undefined)
  const [requestLine, ...lines] = sent
  if (requestLine === undefined) {
    throw new UsageError(`${path} has no line that begins with “> ”, as curl -v prints them`)
  }
  return { headers: HeaderList.fromLines(path, lines), notes: [] }
}

interface HarRequest {
  readonly headers?: readonly { readonly name?: unknown; readonly value?: unknown }[]
  readonly postData?: { readonly text?: unknown; readonly encoding?: unknown }
}

/** A request of a HAR file: the entry of that number, counted from 1, or the first one that is signed. */
export function parseHar(path: string, text: string, entry: number | undefined): CapturedRequest {
  const requests = requestsOf(path, text)
  const parsed = requests.map((request) => ({ request, headers: headersOf(request) }))
  const found =
    entry === undefined
      ? (parsed.find(({ headers }) => headers.one('service-signature') !== undefined) ?? parsed[0])
      : parsed[entry - 1]
  if (!found) {
    throw new UsageError(`${path} has ${requests.length} entries, and none with this number`)
  }
  return { headers: found.headers, body: bodyOf(found.request), notes: [] }
}

/** A whole HAR file, one entry of it, or the request alone. */
function requestsOf(path: string, text: string): HarRequest[] {
  try {
    const har = JSON.parse(text.replace(/^\ufeff/, ''))
    if (Array.isArray(har?.log?.entries)) {
      return har.log.entries.map((each: { request?: HarRequest } | null) => each?.request ?? {})
    }
    if (Array.isArray(har?.request?.headers)) {
      return [har.request]
    }
    if (Array.isArray(har?.headers)) {
      return [har]
    }
  } catch {
    throw new UsageError(`${path} is not JSON, as a HAR file is`)
  }
  throw new UsageError(`${path} is no HAR file: it has no log.entries`)
}

/** Entries of a HAR file that are no headers are left out. */
function headersOf({ headers }: HarRequest): HeaderList {
  const listed: readonly ({ readonly name?: unknown; readonly value?: unknown } | null)[] = Array.isArray(
    headers,
  )
    ? headers
    : []
  return new HeaderList(
    listed.flatMap((each) =>
      typeof each?.name === 'string' && typeof each.value === 'string'
        ? [[each.name, each.value] as const]
        : [],
    ),
  )
}

function bodyOf({ postData }: HarRequest): Buffer {
  const text = typeof postData?.text === 'string' ? postData.text : ''
  return Buffer.from(text, postData?.encoding === 'base64' ? 'base64' : 'utf8')
}

/** Headers from a file: one `Name: value` a line, or a JSON object. */
export function parseHeaders(path: string, text: string): HeaderList {
  if (!text.trimStart().startsWith('{')) {
    return HeaderList.fromLines(path, text.split(/\r?\n/))
  }
  let headers: object
  try {
    headers = JSON.parse(text)
  } catch {
    throw new UsageError(`${path} begins with { but is not JSON`)
  }
  return new HeaderList(
    Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((each) => {
        if (typeof each !== 'string' && typeof each !== 'number') {
          throw new UsageError(`${path} has a header ${name} that is neither text nor a number`)
        }
        return [name, String(each)] as const
      }),
    ),
  )
}
