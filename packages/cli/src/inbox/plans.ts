import type { Plan } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { wholeNumber } from '../numbers.js'
import { type Column, printList } from '../print-list.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { inWords } from './plan.js'
import { shortIds } from './resolve-id.js'

const columns = (plans: readonly Plan[]): readonly Column<Plan>[] => {
  const short = shortIds(
    plans.map(({ id }) => id),
    'plan-'.length + 8,
  )
  return [
    { title: 'MADE', text: ({ createdAt }) => createdAt },
    { title: 'PLAN', text: ({ id }) => short(id) },
    { title: 'WOULD', text: inWords },
    { title: 'WHERE', text: ({ where }) => JSON.stringify(where), isProse: true },
  ]
}

export const plans = defineCommand({
  about: 'Lists plans and what a run of each would do, newest first.',
  options: {
    limit: { type: 'string', value: 'N', default: '20', help: 'How many at most' },
    ...receiverOptions,
  },
  examples: [['--receiver src/receiver.ts', 'Lists the last twenty plans.']],

  async run({ values, json, print, world }) {
    const limit = wholeNumber('limit', values.limit, { min: 1 })
    const found = await withReceiver({ values, print, world }, ({ receiver }) => receiver.plans({ limit }))
    printList(found, columns(found), { print, json, empty: 'There is no plan.' })
    return exit.good
  },
})
