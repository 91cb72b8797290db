import { defaultTransitions, isTransitions } from '../bank/states.js'
import { emittedTypes, products, readonlyKey, type SandboxOptions } from './options.js'
import { asEnvelope, asJson, asList, asNumber, asRate, asRetry, type ReadFile } from './read-text.js'
import { isSchedule } from './retry-schedule.js'
import { schemeOf } from './scheme.js'
import { secondsOf } from './seconds.js'

/** The flag of an option. */
export interface FlagOf {
  /** Default: the name of the option with hyphens. */
  readonly name?: string
  /** The placeholder of the value in a help text, such as `FILE`. Absent for a flag without a value. */
  readonly value?: string
  readonly help: string
  /** The default, as a help text shows it. */
  readonly shown?: string
  /** The only texts that are accepted. */
  readonly choices?: readonly string[]
  /** May be given more than once. */
  readonly multiple?: true
  /** Turns the text into the value of the option. Default: the text is the value. May throw `OptionError`. */
  readonly read?: (text: string, readFile: ReadFile) => unknown
}

/** One option: its values and its flag. */
interface Row<Value> {
  /** Used if the option is absent. */
  readonly default?: Value
  readonly accepts: (value: unknown) => boolean
  /** What a value must be. It follows the name of the option in a message. */
  readonly wanted: string
  readonly flag: FlagOf
}

type Table = { readonly [Name in keyof SandboxOptions]-?: Row<NonNullable<SandboxOptions[Name]>> }

const isNumber = (least: number, most: number) => (value: unknown) =>
  typeof value === 'number' && value >= least && value <= most
const isWhole = (least: number, most: number) => (value: unknown) =>
  Number.isSafeInteger(value) && isNumber(least, most)(value)
const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isBoolean = (value: unknown) => typeof value === 'boolean'
const isVisible = (value: unknown) => typeof value === 'string' && /^[!-~]+$/.test(value)
const isUrl = (value: unknown) => typeof value === 'string' && URL.canParse(value)
const isListOf = (accepts: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(accepts)

/** An option with a few values. */
const oneOf = <Value extends string | number>(
  values: readonly Value[],
  chosen: Value,
  flag: FlagOf,
): Row<Value> => ({
  default: chosen,
  accepts: (value) => values.includes(value as Value),
  wanted: `must be one of ${values.join(', ')}`,
  flag: { choices: values.map(String), shown: String(chosen), ...flag },
})

const boolean = (help: string): Row<boolean> => ({
  default: false,
  accepts: isBoolean,
  wanted: 'must be true or false',
  flag: { help },
})

/** Every option of a sandbox. `createSandbox`, the program and the command line all read it. */
export const optionTable = {
  port: {
    default: 4010,
    accepts: isWhole(0, 65_535),
    wanted: 'must be 0 to 65535',
    flag: { read: asNumber, value: 'N', help: 'The port to listen on; 0 takes a free one', shown: '4010' },
  },
  host: {
    default: '127.0.0.1',
    accepts: isText,
    wanted: 'must be an address to listen on',
    flag: { value: 'ADDRESS', help: 'The address to listen on', shown: '127.0.0.1' },
  },
  forwardTo: {
    default: [],
    accepts: isListOf(isUrl),
    wanted: 'must be URLs',
    flag: { multiple: true, value: 'URL', help: 'Deliver every event to this receiver' },
  },
  state: {
    default: ':memory:',
    accepts: isText,
    wanted: 'must be the path of a file',
    flag: { value: 'FILE', help: 'Keep everything in this SQLite file', shown: 'in memory' },
  },
  seed: {
    default: 1,
    accepts: Number.isSafeInteger,
    wanted: 'must be a whole number',
    flag: { read: asNumber, value: 'N', help: 'The seed of identifiers and secrets', shown: '1' },
  },
  clock: oneOf(['real', 'virtual'], 'real', {
    value: 'KIND',
    help: 'virtual stands still until it is advanced',
  }),
  apiKey: {
    default: 'sk_sandbox_local',
    accepts: (value) => isVisible(value) && value !== readonlyKey,
    wanted: `must be visible ASCII other than ${readonlyKey}`,
    flag: { value: 'KEY', help: 'The key of the API', shown: 'sk_sandbox_local' },
  },
  shape: oneOf(['both', 'a', 'b'], 'both', { value: 'SHAPE', help: 'Which transfer shapes are accepted' }),
  shapeBUnit: oneOf(['major', 'minor'], 'major', {
    name: 'shape-b-unit',
    value: 'UNIT',
    help: 'The unit of the amount in shape B',
  }),
  responseCase: oneOf(['camel', 'snake', 'follow-envelope'], 'camel', {
    value: 'CASE',
    help: 'The case of the keys in responses of the API',
  }),
  prefix: oneOf(['both', 'v1', 'none'], 'both', {
    value: 'PREFIX',
    help: 'Serve subscriptions below /v1, without it, or at both paths',
  }),
  idempotencyConflict: oneOf([422, 409, 400], 422, {
    read: asNumber,
    value: 'STATUS',
    help: 'The status where an Idempotency-Key comes again with another body',
  }),
  requestsPerSecond: {
    accepts: isNumber(1, 86_400),
    wanted: 'must be 1 to 86400',
    flag: {
      name: 'rate',
      read: asRate,
      value: 'N/s',
      help: 'Answer 429 above this many API requests a second',
      shown: 'no limit',
    },
  },
  deprecation: {
    accepts: (value) =>
      typeof value === 'string' && /^\d{4}-\d\d-\d\d(T|$)/.test(value) && !Number.isNaN(Date.parse(value)),
    wanted: 'must be a date such as 2027-01-31',
    flag: { value: 'DATE', help: 'Send the header Deprecation with this date' },
  },
  product: oneOf(products, 'mobile_money', {
    value: 'NAME',
    help: 'The product line: its ordinary rails, and its name in snake_case events',
  }),
  settleAfterSeconds: {
    default: 0.1,
    accepts: isNumber(0, 86_400),
    wanted: 'must be 0 to 86400 seconds',
    flag: {
      name: 'settle-after',
      read: secondsOf,
      value: 'DURATION',
      help: 'From the creation of a transfer to its settlement',
      shown: '100ms',
    },
  },
  transitions: {
    default: defaultTransitions,
    accepts: isTransitions,
    wanted: 'must name states that follow pending, pending_approval or processing',
    flag: { read: asJson, value: 'FILE', help: 'A JSON file with the states that follow each state' },
  },
  emissions: {
    default: emittedTypes,
    accepts: isListOf((value) => (emittedTypes as readonly unknown[]).includes(value)),
    wanted: `must be some of ${emittedTypes.join(', ')}`,
    flag: {
      read: asList,
      value: 'TYPES',
      help: 'The event types that transfers emit, such as transfer.settled',
      shown: 'all',
    },
  },
  envelope: oneOf(['camelCase', 'snake_case'], 'camelCase', {
    read: asEnvelope,
    value: 'FORM',
    choices: ['camel', 'snake'],
    shown: 'camel',
    help: 'The envelope of subscriptions that name none',
  }),
  secret: {
    accepts: isVisible,
    wanted: 'must be visible ASCII without white space',
    flag: { value: 'TEXT', help: 'The signing secret of every subscription', shown: 'one for each' },
  },
  scheme: {
    accepts: (value) => typeof value === 'object' && value !== null,
    wanted: 'must be a signature scheme',
    flag: {
      read: schemeOf,
      value: 'NAME|PAIRS|FILE',
      help: 'How to sign: a name such as t-body-hex or id-t-body-base64, pairs such as content=body,key=base64, or a JSON file',
      shown: 't-body-hex',
    },
  },
  retry: {
    default: 'fast',
    accepts: isSchedule,
    wanted: "must be 'fast', 'standard', 'none' or up to 100 pauses in seconds",
    flag: {
      read: asRetry,
      value: 'SCHEDULE',
      help: 'fast, standard, none, or pauses such as 1s,5s',
      shown: 'fast',
    },
  },
  jitter: boolean('Move each pause of the schedule by up to 10 % either way'),
  timeoutSeconds: {
    default: 15,
    accepts: isNumber(0.001, 86_400),
    wanted: 'must be 0.001 to 86400 seconds',
    flag: {
      name: 'timeout',
      read: secondsOf,
      value: 'DURATION',
      help: 'The most that one delivery attempt takes',
      shown: '15s',
    },
  },
  disableAfter: {
    accepts: isWhole(1, 1000),
    wanted: 'must be 1 to 1000 deliveries',
    flag: {
      read: asNumber,
      value: 'N',
      help: 'Disable a subscription after this many exhausted deliveries in a row',
      shown: 'never',
    },
  },
  strictHttps: boolean('Reject http: receivers, on loopback too'),
  allowRemote: boolean('Allow https: receivers elsewhere'),
} as const satisfies Table

export type OptionName = keyof typeof optionTable

export const optionNames = Object.keys(optionTable) as OptionName[]
