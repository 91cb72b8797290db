import type { BulkAction, Plan, PlanFilter } from 'webhook-inbox'
import { replayNotes } from 'webhook-inbox-console/replay-notes'
import { defineCommand } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { printResult } from '../print-result.js'
import { filterOptions, readFilter, stateOption } from './find-events.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { resolveGroup } from './resolve-id.js'

const actions = ['replay', 'discard', 'retryNow', 'giveUp'] as const

export const plan = defineCommand({
  usage: actions.join('|'),
  about:
    'Selects events and keeps the selection, 100,000 at most. Nothing changes until inbox run. Events that come later are not part of it.',
  positionals: { min: 1, max: 1 },
  options: {
    ...stateOption,
    ...filterOptions,
    ...receiverOptions,
  },
  examples: [
    ['replay --type transfer.* --since 2d --receiver src/receiver.ts', 'Selects dead events.'],
    ['discard --group 102c2c92 --json --receiver src/receiver.ts', 'Prints the plan as JSON.'],
  ],

  async run({ values, positionals, json, print, world }) {
    const [action] = positionals
    if (!actions.some((each) => each === action)) {
      throw new UsageError(`name an action: ${actions.join(', ')}`)
    }
    const where: PlanFilter = readFilter(values, world.now())
    const { made, notes } = await withReceiver({ values, print, world }, async ({ receiver }) => {
      const group = where.group && (await resolveGroup(receiver, where.group))
      const made = await receiver.plan({ action: action as BulkAction, where: { ...where, group } })
      return { made, notes: action === 'replay' ? (await replayNotes(receiver, made.where)).notes : [] }
    })
    printResult(made, `${made.id}  ${inWords(made)}`, { print, json })
    for (const note of notes) {
      print.warn(note)
    }
    return exit.good
  },
})

/** What a run of the plan does, such as `replay 12 events`. */
export const inWords = ({ action, count, isCapped }: Pick<Plan, 'action' | 'count' | 'isCapped'>) =>
  `${action} ${count.toLocaleString('en-US')}${isCapped ? '+' : ''} ${count === 1 ? 'event' : 'events'}`
