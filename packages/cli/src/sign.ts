import { defineCommand } from './command.js'
import { exit, UsageError } from './exit.js'
import { localPath } from './local-path.js'
import { wholeNumber } from './numbers.js'
import { readBytes } from './read-file.js'
import { readScheme, schemeOption } from './scheme-option.js'
import { readSecret, secretOptions, warnOfSecret } from './secrets.js'

export const sign = defineCommand({
  usage: 'FILE|-',
  about:
    'Prints the headers that the service would send with exactly these bytes. Sends nothing, and does not parse or change the file.',
  positionals: { min: 1, max: 1 },
  options: {
    id: {
      type: 'string',
      value: 'ID',
      help: 'The event id. Default: the id in the body, if the body is JSON',
    },
    timestamp: { type: 'string', value: 'SECONDS', help: 't, in unix seconds. Default: now' },
    ...schemeOption,
    curl: { type: 'string', value: 'URL', help: 'Print a curl command that sends the file to this URL' },
    ...secretOptions,
  },
  examples: [
    ['event.json', 'Prints both headers. The secret comes from WEBHOOK_SECRET.'],
    ['event.json --curl http://127.0.0.1:3000/webhooks', 'Prints a command that is ready to run.'],
    ['- --timestamp 1700000000 < event.json', 'Signs standard input with a fixed time.'],
  ],

  async run({ values, positionals, json, print, world }) {
    const [path] = positionals as [string]
    if (values.curl !== undefined && path === '-') {
      throw new UsageError('--curl needs a file that curl can read, not standard input')
    }
    const timestamp =
      values.timestamp === undefined
        ? world.now()
        : wholeNumber('timestamp', values.timestamp, { max: 999_999_999_999 })
    const scheme = await readScheme(values.scheme)
    const named = await readSecret({ values, print, world })
    const { secret } = named
    await warnOfSecret(named, scheme, print)
    print.working(`reading ${path === '-' ? 'standard input' : path}`)
    const body = await readBytes(path, world.stdin)

    const id = values.id ?? eventId(body)
    const { signPayload } = await import('webhook-inbox')
    const headers = {
      'Content-Type': 'application/json',
      'Service-Signature': await signPayload({
        body,
        secret,
        timestamp,
        ...(scheme && { scheme }),
        ...(id !== undefined && { id }),
      }),
      ...(id !== undefined && { 'Service-Event-Id': id }),
    }
    if (values.curl !== undefined) {
      print.line(curl(values.curl, localPath(path), headers))
    } else if (json) {
      print.json({ headers })
    } else {
      for (const [name, value] of Object.entries(headers).slice(1)) {
        print.line(`${name}: ${value}`)
      }
    }
    if (id === undefined) {
      print.note('The body has no id, so there is no Service-Event-Id header; give one with --id.')
    }
    return exit.good
  },
})

/** The id in the body, if the body is a JSON object with an id that a header can contain. */
function eventId(body: Buffer): string | undefined {
  try {
    const { id } = JSON.parse(body.toString('utf8')) as { id?: unknown }
    return typeof id === 'string' && /^[!-~]+$/.test(id) ? id : undefined
  } catch {
    return undefined
  }
}

/** For a POSIX shell. Only a single quote needs escaping in single quotes. */
function curl(url: string, path: string, headers: Readonly<Record<string, string>>): string {
  const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  return ['curl -i', ...lines, `--data-binary ${quote(`@${path}`)}`, quote(url)].join(' \\\n  ')
}
