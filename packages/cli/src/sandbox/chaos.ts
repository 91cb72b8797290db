import { defineCommand } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { didYouMean } from '../nearest.js'
import { printable } from '../printable.js'
import { setFields } from '../send/set-fields.js'
import { connect, connectionOptions } from './connection.js'
import { faults as known } from './faults.js'

interface Settings {
  readonly seed: number
  readonly all: Readonly<Record<string, unknown>>
  readonly subscriptions: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const faultNames = Object.keys(known)

export const chaos = defineCommand({
  usage: '[FAULT=PROBABILITY ...]',
  about: `Shows or sets the faults of deliveries: ${faultNames.join(', ')}. Each fault has a probability from 0 to 1.`,
  positionals: { min: 0, max: 20 },
  options: {
    off: { type: 'boolean', help: 'Switch all faults off' },
    subscription: { type: 'string', value: 'ID', help: 'For this subscription alone. Default: for all' },
    seed: { type: 'string', value: 'N', help: 'The same seed makes the same faults' },
    ...connectionOptions,
  },
  examples: [
    ['', 'Shows the settings.'],
    ['duplicate=0.5 dropAnswer=0.2', 'Half of the events twice; a fifth of the responses lost.'],
    ['latency=1 latency.seconds=3', 'Every delivery three seconds late.'],
    ['--off', 'Ends it.'],
  ],

  async run({ values, positionals, json, print, world }) {
    const connection = connect({ values, print, world })
    const before = await connection.get<Settings>('chaos')
    const isChange = values.off || positionals.length > 0 || values.seed !== undefined
    const after = isChange
      ? await connection.send<Settings>(
          'PUT',
          'chaos',
          changed(values.off ? nothing : before, values, positionals),
        )
      : before
    if (json) {
      print.json(after)
    } else {
      const faults = Object.entries({ 'every subscription': after.all, ...after.subscriptions })
      const lines = faults.flatMap(([who, settings]) =>
        Object.entries(settings).map(([name, value]) => `${name}  ${JSON.stringify(value)}  ${who}`),
      )
      for (const line of lines) {
        print.line(line)
      }
      if (lines.length === 0) {
        print.line('No faults are set.')
      }
    }
    return exit.good
  },
})

const nothing: Settings = { seed: 1, all: {}, subscriptions: {} }

/** The settings of a fault in addition to its probability. */
const defaults: Readonly<Record<string, object>> = {
  latency: { seconds: 2 },
  reorder: { windowSeconds: 5 },
  skew: { seconds: -600 },
  trickle: { seconds: 5 },
}

function changed(
  { seed, all, subscriptions }: Settings,
  values: { readonly subscription: string | undefined; readonly seed: string | undefined },
  pairs: readonly string[],
): Settings {
  const { subscription } = values
  let faults: Record<string, unknown> = {
    ...(subscription === undefined ? all : subscriptions[subscription]),
  }
  for (const pair of pairs) {
    const [name = '', value] = pair.split('=', 2)
    const [fault = ''] = name.split('.', 1)
    if (!faultNames.includes(fault)) {
      const faults = `the faults are ${faultNames.join(', ')}`
      throw new UsageError(`there is no fault ${printable(fault)}${didYouMean(fault, faultNames)}; ${faults}`)
    }
    if (value === undefined) {
      throw new UsageError(`a fault needs a probability, such as ${pair}=0.5`)
    }
    if (name.includes('.')) {
      if (value.trim() === '' || Number.isNaN(Number(value))) {
        throw new UsageError(`${printable(name)} is a number, such as ${printable(name)}=5`)
      }
      faults = setFields(faults, [pair])
    } else {
      const probability = value.trim() === '' ? Number.NaN : Number(value)
      if (!(probability >= 0 && probability <= 1)) {
        throw new UsageError(`a probability is 0 to 1, such as ${name}=0.5`)
      }
      faults[name] = { ...defaults[name], ...(faults[name] as object), probability }
    }
  }
  const next = { seed: values.seed === undefined ? seed : Number(values.seed) }
  return subscription === undefined
    ? { ...next, all: faults, subscriptions }
    : { ...next, all, subscriptions: { ...subscriptions, [subscription]: faults } }
}
