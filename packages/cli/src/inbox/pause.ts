import type { Audit, FlowTarget, Receiver } from 'webhook-inbox'
import { type Call, type Command, defineCommand, type Options } from '../command.js'
import { type ExitCode, exit } from '../exit.js'
import { printResult } from '../print-result.js'
import { printable } from '../printable.js'
import { auditOptions, readAudit } from './audit.js'
import { confirmOptions } from './confirm.js'
import { isMeant } from './doubt-type.js'
import { nameTarget, readTarget, targetOptions } from './flow-target.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { lastBy, orNothingDone } from './or-nothing-done.js'

const options = { ...targetOptions, ...auditOptions, ...receiverOptions } as const satisfies Options

export const pause: Command = defineCommand({
  about:
    'Holds back the events of a type, of a resource, or of the whole endpoint. They are accepted as always and wait. What runs already continues. Asks first if no event of the type is kept.',
  options: { ...options, yes: confirmOptions.yes },
  examples: [
    ['--type transfer.settled --reason "the ledger is down" --receiver src/receiver.ts', 'Pauses one type.'],
    ['--reason "maintenance" --receiver src/receiver.ts', 'Pauses the endpoint.'],
  ],
  run: (call) => change(call, 'pause', { isYes: call.values.yes }),
})

export const resume: Command = defineCommand({
  about: 'Ends a pause. Running processes notice within 20 seconds.',
  options: {
    ...options,
    'paused-at': {
      type: 'string',
      value: 'TIME',
      help: 'End only the pause that began at this time, as inbox health prints it, and no later one',
    },
  },
  examples: [
    ['--type transfer.settled --reason "the ledger is back" --receiver src/receiver.ts', 'Ends a pause.'],
  ],
  run: (call) => change(call, 'resume', { pausedAt: call.values['paused-at'] }),
})

async function change(
  { values, json, print, world }: Pick<Call<typeof options>, 'values' | 'json' | 'print' | 'world'>,
  verb: 'pause' | 'resume',
  { isYes = false, pausedAt }: { readonly isYes?: boolean; readonly pausedAt?: string | undefined },
): Promise<ExitCode> {
  const target = readTarget(values)
  const audit = readAudit(values)
  const isPaused = verb === 'pause'
  const isChanged = await withReceiver(
    { values, print, world },
    async ({ receiver }: { receiver: Receiver }) => {
      const isDoubted = isPaused && target.type !== undefined
      return isDoubted && !(await isMeant(receiver, target.type, { isYes, print, world }))
        ? undefined
        : isPaused
          ? receiver.pause(target, audit)
          : resumeAsShown(receiver, target, audit, pausedAt)
    },
  )
  if (isChanged === undefined) {
    return exit.good
  }
  const unchanged = isPaused ? 'was paused before' : 'was not paused'
  printResult(
    { ...target, isPaused, isChanged },
    `${printable(nameTarget(target))} ${isChanged ? `is ${verb}d` : unchanged}`,
    { print, json },
  )
  return exit.good
}

/** Ends only the pause that the operator saw. Throws `NothingDoneError`, which says what is there now. */
async function resumeAsShown(
  receiver: Receiver,
  target: FlowTarget,
  audit: Audit,
  pausedAt: string | undefined,
): Promise<boolean> {
  const options = pausedAt === undefined ? {} : { seen: { pausedAt } }
  return orNothingDone('pause_changed', receiver.resume(target, audit, options), async () => {
    const now = (await receiver.paused()).find(
      ({ type, resource }) => type === target.type && resource === target.resource,
    )
    return `${nameTarget(target)} has another pause now${lastBy(now && { ...now, at: now.pausedAt })}`
  })
}
