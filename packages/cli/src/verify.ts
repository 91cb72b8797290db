import type { DiagnoseInput, Diagnosis, NamedSecret } from 'webhook-inbox-diagnose'
import { type Call, defineCommand, type Options } from './command.js'
import { type ExitCode, exit } from './exit.js'
import { durationSeconds, wholeNumber } from './numbers.js'
import { readScheme, schemeOption } from './scheme-option.js'
import { otherSecrets, readSecret, secretOptions } from './secrets.js'
import { judgeBody } from './verify/judge-body.js'
import { diagnosisAsJson, type JudgedDelivery, printDiagnosis } from './verify/print-diagnosis.js'
import { deliveryOptions, readDelivery, readOthers } from './verify/read-delivery.js'

const options = {
  ...deliveryOptions,
  other: {
    type: 'string',
    value: 'FILE',
    multiple: true,
    help: 'Another captured delivery (raw HTTP), to find a header and a body that were mixed up',
  },
  ...secretOptions,
  'other-secret-file': {
    type: 'string',
    value: 'FILE',
    multiple: true,
    help: 'A secret of another endpoint, to find out whether it was used. Also every variable WEBHOOK_SECRET_...',
  },
  ...schemeOption,
  discover: { type: 'boolean', help: 'The delivery is good: find the scheme of its sender' },
  tolerance: {
    type: 'string',
    value: 'DURATION',
    default: '300s',
    help: 'The maximum difference between t and the clock',
  },
  now: {
    type: 'string',
    value: 'SECONDS',
    help: 'The current time for the check of t, in unix seconds. Default: the clock',
  },
  'show-expected': {
    type: 'boolean',
    help: 'Print the signature that the secret makes for these bytes. Keep it private',
  },
} as const satisfies Options

export const verify = defineCommand({
  usage: '--body FILE --header VALUE',
  about:
    'Checks whether the signature of a delivery matches and its body is an event, and explains why not. A cause is named only if its correction makes the signature match. Exit status 0 if both are so, 1 if not.',
  options,
  examples: [
    [
      "--body body.json --header 't=1700000000,v1=5f2a...'",
      'Explains a signature. The secret comes from WEBHOOK_SECRET.',
    ],
    ['--from-request delivery.http', 'Takes headers and body from a raw HTTP request.'],
    ['--from-request delivery.http --discover', 'Finds the scheme of a delivery that is known to be good.'],
    ['--from-curl curl.log --body - < body.json', 'Takes the headers from the output of curl -v.'],
    ['--from-har session.har --json', 'Takes the first signed entry of a HAR file, and prints JSON.'],
  ],

  async run(call) {
    const { delivery, notes } = await readDelivery(call.values, call.world)
    for (const note of notes) {
      call.print.warn(note)
    }
    call.print.working(`reading ${delivery.body.length.toLocaleString('en-US')} bytes`)
    const input = {
      ...delivery,
      ...(await readSettings(call)),
      onProgress: (tried: number) =>
        call.print.working(`${tried.toLocaleString('en-US')} combinations tried`),
    }
    return call.values.discover ? discover(input, call) : explain(input, call)
  },
})

type Settings = Omit<DiagnoseInput, 'body' | 'header' | 'id'> & {
  readonly otherSecrets: readonly NamedSecret[]
}

async function readSettings({ values, print, world }: Call<typeof options>): Promise<Settings> {
  return {
    secret: await readSecret({ values, print, world }),
    otherSecrets: await otherSecrets(values['other-secret-file'], { print, world }),
    otherDeliveries: await readOthers(values.other, world),
    scheme: await readScheme(values.scheme),
    toleranceSeconds: durationSeconds('tolerance', values.tolerance),
    now: values.now === undefined ? world.now() : wholeNumber('now', values.now),
    showExpected: values['show-expected'],
  }
}

async function explain(input: DiagnoseInput, { print, json }: Call<typeof options>): Promise<ExitCode> {
  const { diagnose } = await import('webhook-inbox-diagnose')
  const diagnosis = await withBody(await diagnose(input), input.body)
  if (json) {
    print.json(diagnosisAsJson(diagnosis))
  } else {
    printDiagnosis(diagnosis, print)
  }
  return diagnosis.isAccepted ? exit.good : exit.negative
}

/** A receiver checks the body only after the signature, and so does the answer. */
async function withBody(diagnosis: Diagnosis, body: Uint8Array): Promise<JudgedDelivery> {
  if (!diagnosis.isAccepted) {
    return diagnosis
  }
  const fault = await judgeBody(body)
  return fault
    ? {
        ...diagnosis,
        isAccepted: false,
        code: fault.code,
        summary: `The signature matches, but a receiver rejects or quarantines the body. ${fault.code}: ${fault.sentence}.`,
      }
    : { ...diagnosis, summary: 'The signature matches, and the body is an event.' }
}

async function discover(input: DiagnoseInput, { print, json }: Call<typeof options>): Promise<ExitCode> {
  const { discoverScheme } = await import('webhook-inbox-diagnose')
  const secrets = [input.secret, ...(input.otherSecrets ?? [])]
  const found = await discoverScheme({ ...input, secrets })
  if (json) {
    print.json({ schemes: found })
  } else if (found.length === 0) {
    print.line('No scheme matches these bytes, this header and these secrets.')
    print.line('Without --discover, verify looks for faults of the body and the secret too.')
  } else {
    for (const { line, secret } of found) {
      print.line(line ?? '// The default scheme: leave the option out.')
      print.note(`It matches with ${secret}.`)
    }
  }
  return found.length > 0 ? exit.good : exit.negative
}
