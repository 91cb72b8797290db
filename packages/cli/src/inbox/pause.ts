import type { Receiver } from 'webhook-inbox'
import { type Call, type Command, defineCommand, type Options } from '../command.js'
import { type ExitCode, exit } from '../exit.js'
import { printResult } from '../print-result.js'
import { printable } from '../printable.js'
import { auditOptions, readAudit } from './audit.js'
import { nameTarget, readTarget, targetOptions } from './flow-target.js'
import { receiverOptions, withReceiver } from './open-receiver.js'

const options = { ...targetOptions, ...auditOptions, ...receiverOptions } as const satisfies Options

export const pause: Command = defineCommand({
  about:
    'Holds back the events of a type, of a resource, or of the whole endpoint. They are accepted as always and wait. What runs already continues.',
  options,
  examples: [
    ['--type transfer.settled --reason "the ledger is down" --receiver src/receiver.ts', 'Pauses one type.'],
    ['--reason "maintenance" --receiver src/receiver.ts', 'Pauses the endpoint.'],
  ],
  run: (call) => change(call, 'pause'),
})

export const resume: Command = defineCommand({
  about: 'Ends a pause. Running processes notice within 20 seconds.',
  options,
  examples: [
    ['--type transfer.settled --reason "the ledger is back" --receiver src/receiver.ts', 'Ends a pause.'],
  ],
  run: (call) => change(call, 'resume'),
})

async function change(
  { values, json, print, world }: Pick<Call<typeof options>, 'values' | 'json' | 'print' | 'world'>,
  verb: 'pause' | 'resume',
): Promise<ExitCode> {
  const target = readTarget(values)
  const audit = readAudit(values)
  const isChanged = await withReceiver({ values, print, world }, ({ receiver }: { receiver: Receiver }) =>
    receiver[verb](target, audit),
  )
  const isPaused = verb === 'pause'
  const unchanged = isPaused ? 'was paused before' : 'was not paused'
  printResult(
    { ...target, isPaused, isChanged },
    `${printable(nameTarget(target))} ${isChanged ? `is ${verb}d` : unchanged}`,
    { print, json },
  )
  return exit.good
}
