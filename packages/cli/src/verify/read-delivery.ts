import type { CapturedDelivery } from 'webhook-inbox-diagnose'
import type { Options, Values } from '../command.js'
import { UsageError } from '../exit.js'
import { wholeNumber } from '../numbers.js'
import { readBytes, readTextFile } from '../read-file.js'
import type { World } from '../world.js'
import { parseCurl, parseHar, parseHeaders } from './capture.js'
import type { HeaderList } from './header-list.js'
import { type CapturedRequest, parseRawHttp } from './raw-http.js'

export const deliveryOptions = {
  body: {
    type: 'string',
    short: 'b',
    value: 'FILE|-',
    help: 'The body, exactly as it arrived; - is standard input',
  },
  header: {
    type: 'string',
    short: 'H',
    value: 'VALUE',
    help: 'The value of Service-Signature: t=...,v1=...',
  },
  'event-id': { type: 'string', value: 'ID', help: 'The value of Service-Event-Id' },
  headers: {
    type: 'string',
    value: 'FILE',
    help: 'The headers, one “Name: value” a line, or as a JSON object',
  },
  'from-request': {
    type: 'string',
    value: 'FILE|-',
    help: 'A raw HTTP request: headers and body in one file',
  },
  'from-curl': { type: 'string', value: 'FILE', help: 'What curl -v printed; give the body with --body' },
  'from-har': { type: 'string', value: 'FILE', help: 'A HAR file, as browsers and proxies save it' },
  entry: {
    type: 'string',
    value: 'N',
    help: 'Which entry of the HAR file, from 1. Default: the first signed one',
  },
} as const satisfies Options

export interface ReadDelivery {
  readonly delivery: CapturedDelivery
  readonly notes: readonly string[]
}

/** The delivery that the options describe. Throws `UsageError` if a part is missing or given twice. */
export async function readDelivery(
  values: Values<typeof deliveryOptions>,
  world: World,
): Promise<ReadDelivery> {
  const captured = await readCapture(values, world)
  const headers = values.headers
    ? parseHeaders(values.headers, await readTextFile(values.headers))
    : captured?.headers
  if (values.header !== undefined && headers?.one('service-signature') !== undefined) {
    throw new UsageError('the signature header is given twice: by --header and by a file')
  }
  const signatures = values.header === undefined ? (headers?.all('service-signature') ?? []) : [values.header]
  const body = values.body === undefined ? captured?.body : await readBytes(values.body, world.stdin)
  if (body === undefined) {
    throw new UsageError('the body is missing: give it with --body FILE, or - for standard input')
  }
  if (headers === undefined && values.header === undefined) {
    throw new UsageError(
      'the signature header is missing: give it with --header, or all headers with --headers FILE',
    )
  }
  return {
    delivery: {
      body,
      header: signatures.length > 1 ? signatures : signatures[0],
      id: values['event-id'] ?? headers?.one('service-event-id'),
    },
    notes: [...(captured?.notes ?? []), ...(signatures.length === 0 ? renamed(headers) : [])],
  }
}

async function readCapture(
  values: Values<typeof deliveryOptions>,
  { stdin }: World,
): Promise<CapturedRequest | undefined> {
  const { 'from-request': raw, 'from-curl': curl, 'from-har': har } = values
  if ([raw, curl, har, values.headers].filter((path) => path !== undefined).length > 1) {
    throw new UsageError('choose one of --headers, --from-request, --from-curl and --from-har')
  }
  if (raw !== undefined) {
    return parseRawHttp(raw, await readBytes(raw, stdin))
  }
  if (curl !== undefined) {
    return parseCurl(curl, await readTextFile(curl))
  }
  if (har === undefined) {
    return undefined
  }
  const entry = values.entry === undefined ? undefined : wholeNumber('entry', values.entry, { min: 1 })
  return parseHar(har, await readTextFile(har), entry)
}

function renamed(headers: HeaderList | undefined): string[] {
  const names = headers?.lookalikes() ?? []
  return names.map(
    (name) => `${name} looks like the signature header. If a proxy renames it, pass its value with --header.`,
  )
}

/** Other deliveries, each a raw HTTP request. */
export async function readOthers(paths: readonly string[], { stdin }: World): Promise<CapturedDelivery[]> {
  return Promise.all(
    paths.map(async (path) => {
      const { headers, body = Buffer.alloc(0) } = parseRawHttp(path, await readBytes(path, stdin))
      return {
        name: path,
        body,
        header: headers.one('service-signature'),
        id: headers.one('service-event-id'),
      }
    }),
  )
}
