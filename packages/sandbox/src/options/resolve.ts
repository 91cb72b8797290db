import { defaultTransitions } from '../bank/states.js'
import { OptionError } from './option-error.js'
import type { Options, SandboxOptions } from './options.js'
import { scheduleOf } from './retry-schedule.js'
import { optionNames, optionTable } from './table.js'

/** Fills in the defaults. Throws `OptionError`. */
export function resolveOptions(given: SandboxOptions = {}): Options {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new OptionError('options', 'must be an object')
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(optionTable, name))
  if (unknown !== undefined) {
    throw new OptionError(unknown.slice(0, 100), `is no option; the options are ${optionNames.join(', ')}`)
  }
  const chosen: Record<string, unknown> = {}
  for (const name of optionNames) {
    const row: { default?: unknown; accepts: (value: unknown) => boolean; wanted: string } = optionTable[name]
    const value = given[name] === undefined ? row.default : given[name]
    if (value === undefined) {
      continue
    }
    if (!row.accepts(value)) {
      throw new OptionError(name, row.wanted)
    }
    chosen[name] = value
  }
  const { retry, transitions, ...rest } = chosen as {
    [Name in keyof SandboxOptions]-?: Exclude<SandboxOptions[Name], undefined>
  }
  return {
    ...rest,
    retrySeconds: scheduleOf(retry),
    transitions: {
      ...defaultTransitions,
      ...Object.fromEntries(Object.entries(transitions).filter(([, states]) => states !== undefined)),
    },
  }
}
