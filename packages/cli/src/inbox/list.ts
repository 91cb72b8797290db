import type { ListQuery, StoredEvent } from 'webhook-inbox'
import { type Call, type Command, defineCommand, type Options } from '../command.js'
import { type ExitCode, exit } from '../exit.js'
import { wholeNumber } from '../numbers.js'
import { type Column, printList } from '../print-list.js'
import { eventColumns, withoutBody } from './event-columns.js'
import { filterOptions, findEvents, readFilter, rootOption, stateOption, take } from './find-events.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { resolveGroup } from './resolve-id.js'

const options = {
  ...filterOptions,
  ...rootOption,
  order: {
    type: 'string',
    value: 'ORDER',
    choices: ['oldest', 'newest'],
    default: 'oldest',
    help: 'Which events come first',
  },
  limit: { type: 'string', value: 'N', default: '50', help: 'How many at most' },
  'all-endpoints': { type: 'boolean', help: 'Events of every endpoint of the store' },
  ...receiverOptions,
} as const satisfies Options

export const list: Command = defineCommand({
  about:
    'Lists the events of the inbox, oldest first unless --order says otherwise, without their bodies. A table in a terminal, JSON lines in a pipe.',
  options: { ...stateOption, ...options },
  examples: [
    ['--receiver src/receiver.ts', 'Lists the oldest fifty events.'],
    [
      '--receiver src/receiver.ts --state failed --since 1h',
      'Lists events that failed in the last hour and will be retried.',
    ],
    [
      '--receiver src/receiver.ts --resource account_1 --until 7d',
      'Lists what one resource got more than a week ago.',
    ],
    ['--receiver src/receiver.ts --root evt_1', 'Lists an event and the edited copies of it.'],
    ['--receiver src/receiver.ts --type transfer.* | jq -r .id', 'Prints ids for a script.'],
  ],
  run: (call) => listEvents(call, call.values.state),
})

export const dead: Command = defineCommand({
  about: 'Lists the dead events, with the last error of each. inbox replay runs them again.',
  options,
  examples: [['--receiver src/receiver.ts', 'Lists the dead events.']],
  run: (call) => listEvents(call, 'dead'),
})

async function listEvents(
  { values, json, print, world }: Pick<Call<typeof options>, 'values' | 'json' | 'print' | 'world'>,
  state: string | undefined,
): Promise<ExitCode> {
  const limit = wholeNumber('limit', values.limit, { min: 1 })
  const allEndpoints = values['all-endpoints']
  const given = readFilter({ ...values, state }, world.now())
  const events = await withReceiver({ values, print, world }, async ({ receiver }) => {
    const group = given.group && (await resolveGroup(receiver, given.group, { allEndpoints }))
    return take(
      findEvents(
        receiver,
        { ...given, group, allEndpoints, order: values.order as ListQuery['order'] },
        print,
      ),
      limit,
    )
  })
  printList(events.map(withoutBody), eventColumns as readonly Column<Omit<StoredEvent, 'body'>>[], {
    print,
    json,
    empty: 'No event matches.',
  })
  if (events.length === limit) {
    print.note(`There may be more: --limit ${limit} is reached.`)
  }
  return exit.good
}
