import type { BulkAction, PlanFilter } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { filterOptions, readFilter, stateOption } from './find-events.js'
import { receiverOptions, withReceiver } from './open-receiver.js'

const actions = ['replay', 'discard', 'retryNow', 'giveUp'] as const

export const plan = defineCommand({
  usage: actions.join('|'),
  about:
    'Selects events and keeps the selection, 100,000 at most. Nothing changes until inbox run. Events that come later are not part of it.',
  positionals: { min: 1, max: 1 },
  options: {
    ...stateOption,
    ...filterOptions,
    resource: { type: 'string', value: 'NAME', help: 'Only events of this resource' },
    group: { type: 'string', value: 'GROUP', help: 'Only events that failed for this cause' },
    ...receiverOptions,
  },
  examples: [
    ['replay --type transfer.* --since 2d --receiver src/receiver.ts', 'Selects dead events.'],
    ['discard --group default:1f --json --receiver src/receiver.ts', 'Prints the plan as JSON.'],
  ],

  async run({ values, positionals, json, print, world }) {
    const [action] = positionals
    if (!actions.some((each) => each === action)) {
      throw new UsageError(`name an action: ${actions.join(', ')}`)
    }
    const { state, type, since } = readFilter(values, world.now())
    const { resource, group } = values
    const where = { state, type, resource, group, since: since === undefined ? undefined : new Date(since) }
    const made = await withReceiver({ values, print, world }, ({ receiver }) =>
      receiver.plan({ action: action as BulkAction, where: where as PlanFilter }),
    )
    if (json || !print.isTerminal) {
      print.json(made)
    } else {
      print.line(
        `${made.id}  ${made.action} ${made.count.toLocaleString('en-US')}${made.isCapped ? '+' : ''} events`,
      )
    }
    return exit.good
  },
})
