import type { Run } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { wholeNumber } from '../numbers.js'
import { plural } from '../plural.js'
import { printResult } from '../print-result.js'
import { auditOptions, readAudit } from './audit.js'
import { confirm, confirmOptions } from './confirm.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { inWords } from './plan.js'
import { resolvePlan } from './resolve-id.js'

export const run = defineCommand({
  usage: 'PLAN',
  about:
    'Starts a run of a plan. PLAN is its id or the beginning of it. A process of your program that has called start() applies it in the background: inbox runs shows how far it is.',
  positionals: { min: 1, max: 1 },
  options: {
    ...auditOptions,
    'per-second': { type: 'string', value: 'N', default: '100', help: 'How many events each second at most' },
    canary: {
      type: 'string',
      value: 'N',
      help: 'How many events to apply first; the rest waits until they are done. Default: 5 for replay, otherwise 0',
    },
    wait: {
      type: 'boolean',
      help: 'Wait until the run has ended. Exit with 1 where it was stopped or cancelled',
    },
    ...confirmOptions,
    ...receiverOptions,
  },
  examples: [
    ['plan-0b1c3f5a --reason "the bank is back" --receiver src/receiver.ts', 'Asks, then starts the run.'],
    [
      'plan-0b1c3f5a --reason "bank" --per-second 20 --wait --yes --receiver src/receiver.ts',
      'Starts it and waits.',
    ],
  ],

  async run({ values, positionals: [given = ''], json, print, world }) {
    const audit = readAudit(values)
    const perSecond = wholeNumber('per-second', values['per-second'], { min: 1 })
    const canary = values.canary === undefined ? undefined : wholeNumber('canary', values.canary)
    return withReceiver({ values, print, world }, async ({ receiver }) => {
      const planned = await resolvePlan(receiver, given)
      const plan = planned.id
      print.note(`${plan}  ${inWords(planned)}, at most ${perSecond} each second`)
      if (!(await confirm(`Run ${plan}?`, values, { print, world }))) {
        return exit.good
      }
      const started = await receiver.run(plan, { ...audit, perSecond, canary })
      const state = values.wait ? await started.finished() : await started.progress()
      printResult(state, describe(state), { print, json })
      return state.state === 'stopped' || state.state === 'cancelled' ? exit.negative : exit.good
    })
  },
})

const describe = ({ id, state, applied, count, note }: Run) =>
  [`${id}  ${state}: ${applied} of ${plural(count, 'event', 'events')} applied`, note]
    .filter(Boolean)
    .join('; ')
