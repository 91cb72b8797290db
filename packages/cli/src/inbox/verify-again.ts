import type { Code, Receiver, StoredQuarantine } from 'webhook-inbox'
import { type Call, defineCommand, type Options } from '../command.js'
import { type ExitCode, exit, NothingDoneError } from '../exit.js'
import { wholeNumber } from '../numbers.js'
import { plural } from '../plural.js'
import { printable } from '../printable.js'
import { auditOptions, readAudit } from './audit.js'
import { confirm, confirmOptions } from './confirm.js'
import { whyMissing } from './missing-event.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { codeOption } from './quarantine.js'

const options = {
  ...codeOption,
  limit: { type: 'string', value: 'N', default: '1000', help: 'How many at most, newest first' },
  ...auditOptions,
  ...confirmOptions,
  ...receiverOptions,
} as const satisfies Options

export const verifyAgain = defineCommand({
  usage: '[KEY]',
  about:
    'Checks quarantined deliveries again, by the options that your program has now, such as its environment or `inexactNumbers`. Accepts as events those that fit. The others stay in quarantine, and then it exits with 1.',
  positionals: { min: 0, max: 1 },
  options,
  examples: [
    [
      '--code invalid_data --reason "numbers are rounded now" --receiver src/receiver.ts',
      'Asks, then checks those of one code.',
    ],
    [
      'default/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 --reason "numbers are rounded now" --yes --receiver src/receiver.ts',
      'Checks one delivery again.',
    ],
  ],

  async run(call) {
    const { values, positionals, print, world } = call
    const [key] = positionals
    const limit = wholeNumber('limit', values.limit, { min: 1 })
    const code = values.code as Code | undefined
    const audit = readAudit(values)
    return withReceiver({ values, print, world }, async ({ receiver }) => {
      // Checks the queue first, so that an error in its configuration is reported here.
      await receiver.start({ consume: false, announce: false })
      const found = await selected(receiver, { key, code, limit })
      const what = plural(found.length, 'delivery', 'deliveries')
      print.note(`${what} in quarantine match${found.length === 1 ? 'es' : ''}.`)
      if (found.length === 0 || !(await confirm(`Check ${what} again?`, values, { print, world }))) {
        return exit.good
      }
      return report(await receiver.verifyAgain({ key, code, limit }, audit), call)
    })
  },
})

async function selected(
  receiver: Receiver,
  { key, code, limit }: { key: string | undefined; code: Code | undefined; limit: number },
): Promise<readonly StoredQuarantine[]> {
  if (key === undefined) {
    return receiver.quarantined({ code, limit, bodies: false })
  }
  const delivery = await receiver.inspectQuarantined(key)
  if (!delivery) {
    const why = await whyMissing(receiver, key)
    throw why === undefined
      ? new NothingDoneError(
          `no quarantined delivery ${printable(key)} is kept; inbox quarantine lists the keys`,
        )
      : new NothingDoneError(`nothing was done. ${why}`)
  }
  return code === undefined || delivery.code === code ? [delivery] : []
}

function report(
  { released, kept, gone }: Awaited<ReturnType<Receiver['verifyAgain']>>,
  { print, json }: Call<typeof options>,
): ExitCode {
  if (json || !print.isTerminal) {
    for (const id of released) {
      print.json({ id, isReleased: true })
    }
    for (const each of kept) {
      print.json({ ...each, isReleased: false })
    }
    for (const key of gone) {
      print.json({ key, isReleased: false, isGone: true })
    }
  } else {
    for (const id of released) {
      print.line(`${printable(id)}  accepted`)
    }
    for (const { key, code, detail } of kept) {
      print.line(printable(`${key}  stays: ${detail === undefined ? code : `${code}: ${detail}`}`))
    }
    for (const key of gone) {
      print.line(printable(`${key}  gone: another operator released or discarded it first`))
    }
  }
  return kept.length === 0 ? exit.good : exit.negative
}
