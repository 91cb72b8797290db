import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { OptionError } from '../option-error.js'
import { type Options, type Product, resolveOptions, type SandboxOptions } from '../options.js'
import type { RetrySchedule } from '../retry-schedule.js'
import { schemeOf } from './scheme.js'
import { secondsOf } from './seconds.js'

/** A command line that cannot be followed. The message is one line that says what to do. */
export class UsageError extends Error {}

export interface Flags {
  readonly options: Options
  /** One JSON object a line on stdout. */
  readonly isJson: boolean
  /** Opens the inspector in a browser. */
  readonly isOpen: boolean
  readonly isHelp: boolean
}

const flags = {
  port: { type: 'string', help: '--port N              the port to listen on (4010); 0 takes a free one' },
  host: { type: 'string', help: '--host ADDRESS        the address to listen on (127.0.0.1)' },
  'forward-to': {
    type: 'string',
    multiple: true,
    help: '--forward-to URL      deliver every event to this receiver; may be repeated',
  },
  state: { type: 'string', help: '--state FILE          keep everything in this SQLite file (in memory)' },
  seed: { type: 'string', help: '--seed N              the seed of identifiers and secrets (1)' },
  envelope: { type: 'string', help: '--envelope FORM       camel or snake (camel)' },
  product: {
    type: 'string',
    help: '--product NAME        the product line in snake_case events (mobile_money)',
  },
  retry: {
    type: 'string',
    help: '--retry SCHEDULE      fast, standard, none or pauses such as 1s,5s,1m (fast)',
  },
  'settle-after': { type: 'string', help: '--settle-after TIME   from creation to settlement (100ms)' },
  timeout: { type: 'string', help: '--timeout TIME        the most that one delivery attempt takes (15s)' },
  rate: {
    type: 'string',
    help: '--rate N/s            answer 429 above this many API requests a second (no limit)',
  },
  clock: { type: 'string', help: '--clock KIND          real or virtual (real)' },
  secret: { type: 'string', help: '--secret TEXT         the signing secret of every subscription' },
  scheme: {
    type: 'string',
    help: '--scheme NAME|FILE    how to sign: t-body-hex, id-t-body-base64 ..., or a JSON file (t-body-hex)',
  },
  'api-key': { type: 'string', help: '--api-key KEY         the key of the API (sk_sandbox_local)' },
  'strict-https': { type: 'boolean', help: '--strict-https        refuse http: receivers, on loopback too' },
  'allow-remote': { type: 'boolean', help: '--allow-remote        allow https: receivers elsewhere' },
  json: { type: 'boolean', help: '--json                one JSON object a line on stdout' },
  open: { type: 'boolean', help: '--open                open the inspector in a browser' },
  help: { type: 'boolean', short: 'h', help: '--help                show this' },
} as const satisfies Record<string, NonNullable<ParseArgsConfig['options']>[string] & { help: string }>

export const help = `Starts the payments platform on your own machine.

${Object.values(flags)
  .map((flag) => `  ${flag.help}`)
  .join('\n')}
`

/** Throws `UsageError`. */
export function readFlags(args: readonly string[]): Flags {
  const values = parsed(args)
  const { json = false, open = false, help: isHelp = false } = values
  try {
    return { options: resolveOptions(optionsOf(values)), isJson: json, isOpen: open, isHelp }
  } catch (error) {
    if (!(error instanceof OptionError)) {
      throw error
    }
    throw usageOf(error)
  }
}

/** The same in the words of the command line. */
export const usageOf = ({ option, message }: OptionError): UsageError =>
  new UsageError(`${flagOf(option)} ${message.slice(option.length + 1)}`)

type Values = ReturnType<typeof parsed>

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags }).values
  } catch (error) {
    const [fact] = (error as Error).message.split('. ')
    throw new UsageError(`${fact}. Run with --help for the list of flags.`)
  }
}

function optionsOf(values: Values): SandboxOptions {
  const given = {
    port: numberOf(values.port),
    host: values.host,
    forwardTo: values['forward-to'],
    state: values.state,
    seed: numberOf(values.seed),
    envelope: envelopeOf(values.envelope),
    product: values.product as Product | undefined,
    retry: retryOf(values.retry),
    settleAfterSeconds: secondsOf(values['settle-after']),
    timeoutSeconds: secondsOf(values.timeout),
    requestsPerSecond: numberOf(values.rate?.replace(/\/s$/, '')),
    clock: values.clock as 'real' | 'virtual' | undefined,
    secret: values.secret,
    scheme: values.scheme === undefined ? undefined : schemeOf(values.scheme, readFileSync),
    apiKey: values['api-key'],
    strictHttps: values['strict-https'],
    allowRemote: values['allow-remote'],
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** `NaN` for a text that is no number, which every option refuses. */
const numberOf = (text: string | undefined) =>
  text === undefined ? undefined : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN

const envelopeOf = (text: string | undefined) =>
  ({ camel: 'camelCase', snake: 'snake_case' })[text ?? ''] ?? (text as 'camelCase' | undefined)

function retryOf(text: string | undefined): RetrySchedule | undefined {
  if (text === undefined || /^[a-z]+$/.test(text)) {
    return text as RetrySchedule | undefined
  }
  return text.split(',').map((pause) => secondsOf(pause) as number)
}

/** The flag of an option, where it is not the same words with hyphens. */
const otherNames: Readonly<Record<string, string>> = {
  settleAfterSeconds: '--settle-after',
  timeoutSeconds: '--timeout',
  requestsPerSecond: '--rate',
}

const flagOf = (option: string) =>
  otherNames[option] ?? `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
