import type { BulkRun, Run, RunAct } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { wholeNumber } from '../numbers.js'
import { type Column, printList } from '../print-list.js'
import { printResult } from '../print-result.js'
import { auditOptions, readAudit } from './audit.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { lastBy, orNothingDone } from './or-nothing-done.js'
import { resolveRun, shortIds } from './resolve-id.js'

type Steered = Run & { readonly acts: readonly RunAct[] }

const columns = (short: (id: string) => string): readonly Column<Steered>[] => [
  { title: 'STARTED', text: ({ createdAt }) => createdAt },
  { title: 'RUN', text: ({ id }) => short(id) },
  { title: 'ACTION', text: ({ action }) => action },
  { title: 'STATE', text: stateOf },
  { title: 'APPLIED', text: ({ applied }) => applied },
  { title: 'SKIPPED', text: ({ skipped }) => Object.values(skipped).reduce((sum, n) => sum + n, 0) },
  { title: 'FAILED', text: ({ failed }) => failed },
  { title: 'REMAINING', text: ({ remaining }) => remaining },
  { title: 'BY', text: ({ actor }) => actor },
  { title: 'NOTE', text: (run) => run.note ?? lastAct(run) ?? run.reason, isProse: true },
]

/** A discard that was undone has changed nothing in the end. */
function stateOf({ state, applied, restored }: Steered): string {
  return restored === 0 ? state : restored < applied ? `${restored} of ${applied} undone` : 'undone'
}

const past = { pauseRun: 'paused', cancelRun: 'cancelled', undo: 'undone' } as const

/** Who brought a run into its state. A run that goes on has only the person who started it. */
function lastAct({ acts: [act] }: Steered): string | undefined {
  return act && act.action !== 'resumeRun' ? `${past[act.action]} by ${act.actor}: ${act.reason}` : undefined
}

export const runs = defineCommand({
  about: 'Lists bulk runs and how far they are, newest first.',
  options: {
    limit: { type: 'string', value: 'N', default: '20', help: 'How many at most' },
    ...receiverOptions,
  },
  examples: [['--receiver src/receiver.ts', 'Lists the last twenty runs.']],

  async run({ values, json, print, world }) {
    const limit = wholeNumber('limit', values.limit, { min: 1 })
    const found = await withReceiver({ values, print, world }, async ({ receiver }) => {
      const steered: Steered[] = []
      for (const run of await receiver.runs({ limit })) {
        steered.push({ ...run, acts: (await (await receiver.findRun(run.id))?.acts()) ?? [] })
      }
      return steered
    })
    const short = shortIds(
      found.map(({ id }) => id),
      'run-'.length + 8,
    )
    printList(found, columns(short), { print, json, empty: 'There is no run.' })
    return exit.good
  },
})

const verbs = ['pause', 'resume', 'cancel'] as const

export const steer = defineCommand({
  usage: `RUN ${verbs.join('|')}`,
  about:
    'Pauses, resumes or cancels a bulk run. RUN is its id or the beginning of it. A run that its canary has stopped goes on with the rest when it is resumed. What a run has changed stays changed.',
  positionals: { min: 2, max: 2 },
  options: { ...auditOptions, ...receiverOptions },
  examples: [['run-7f2a9c14 pause --reason "too fast" --receiver src/receiver.ts', 'Pauses a run.']],

  async run({ values, positionals: [given = '', verb], json, print, world }) {
    const audit = readAudit(values)
    const known = verbs.find((each) => each === verb)
    if (!known) {
      throw new UsageError(`say what to do: ${verbs.join(', ')}`)
    }
    return withReceiver({ values, print, world }, async ({ receiver }) => {
      const id = await resolveRun(receiver, given)
      const found = (await receiver.findRun(id)) as BulkRun
      const seen = await found.progress()
      const isChanged = await orNothingDone('run_changed', found[known](audit, { seen }), async () => {
        const [last] = await found.acts()
        return `${id} is ${(await found.progress()).state} now${lastBy(last)}`
      })
      const state = await found.progress()
      printResult({ ...state, isChanged }, `${id}  ${state.state}${isChanged ? '' : ' (nothing changed)'}`, {
        print,
        json,
      })
      return isChanged ? exit.good : exit.negative
    })
  },
})
