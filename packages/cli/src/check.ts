import type { CaseResult } from './check/case.js'
import { envelopes, readSample } from './check/options.js'
import { junitReport } from './check/report/junit.js'
import { tableReporter } from './check/report/table.js'
import { ensureWritable, writeReport } from './check/report/write-file.js'
import type { Selected } from './check/select.js'
import { type Call, defineCommand } from './command.js'
import { type ExitCode, exit, UsageError } from './exit.js'
import { headerOption, readHeaders } from './http/header-option.js'
import { readUrl } from './http/url-argument.js'
import { didYouMean } from './nearest.js'
import { durationSeconds, timeoutSeconds } from './numbers.js'
import type { Printer } from './printer.js'
import { readScheme, schemeOption } from './scheme-option.js'
import { readSecret, readSecretFile, secretOptions } from './secrets.js'

const options = {
  only: { type: 'string', value: 'CASE|GROUP', multiple: true, help: 'Run only this case or group' },
  skip: { type: 'string', value: 'CASE|GROUP', multiple: true, help: 'Leave out this case or group' },
  list: { type: 'boolean', help: 'Print the cases and send nothing' },
  slow: { type: 'boolean', help: 'Also run the cases that wait for the tolerance or for a slow handler' },
  junit: { type: 'string', value: 'FILE', help: 'Also write a JUnit report' },
  tolerance: {
    type: 'string',
    value: 'DURATION',
    default: '300s',
    help: 'How old a signature may be at your endpoint',
  },
  timeout: { type: 'string', value: 'DURATION', default: '15s', help: 'How long a response may take' },
  envelope: {
    type: 'string',
    value: 'FORM',
    choices: Object.keys(envelopes),
    default: 'both',
    help: 'The envelopes that your endpoint must read',
  },
  event: {
    type: 'string',
    value: 'FILE',
    help: 'An event whose type and data your handler can process. Default: transfer.settled with sample data',
  },
  probe: {
    type: 'string',
    value: 'URL',
    help: 'A URL with {id}. The response to a GET is how often that event took effect. Without it, check cannot see whether a handler ran twice',
  },
  production: { type: 'boolean', help: 'This endpoint must reject events of the sandbox' },
  'old-secret-file': {
    type: 'string',
    value: 'FILE',
    help: 'The secret that is being rotated out and must still be accepted',
  },
  ...headerOption,
  ...schemeOption,
  ...secretOptions,
} as const

export const check = defineCommand({
  usage: 'URL',
  about:
    'Tests whether an endpoint follows the interface. Sends valid and invalid deliveries and checks the responses. The events are real and have new ids, and your handlers run for them: use an endpoint of a test environment, never one that moves real money. Exits with 1 if a case fails. Warnings do not change the exit code.',
  positionals: { min: 0, max: 1 },
  options,
  examples: [
    ['http://127.0.0.1:3000/webhooks', 'Runs every case. The secret comes from WEBHOOK_SECRET.'],
    ['http://127.0.0.1:3000/webhooks --only rejects --junit check.xml', 'Runs one group, for CI.'],
    ['http://127.0.0.1:3000/webhooks --probe http://127.0.0.1:3000/effects/{id}', 'Counts effects, too.'],
    ['--list', 'Prints every case and what it sends.'],
  ],

  async run(call) {
    const { values, positionals, print } = call
    const { selection, cases } = await selected(values)
    if (values.list) {
      return list(cases, call)
    }
    const [target] = positionals
    if (target === undefined) {
      throw new UsageError('name the URL to check, or print the cases with --list')
    }
    const url = readUrl('URL', target)
    const settings = await settingsOf(call)
    if (values.junit !== undefined) {
      await ensureWritable(values.junit)
    }

    const { runChecks } = await import('./check/run-checks.js')
    const results: CaseResult[] = []
    const report = tableReporter(print)
    print.working(`waiting for ${url.host}`)
    const onStart = (id: string) => print.working(`running ${id}`)
    for await (const result of runChecks(url, { ...settings, ...selection, slow: values.slow, onStart })) {
      results.push(result)
      if (call.json) {
        print.json(result)
      } else {
        for (const line of report.result(result)) {
          print.line(line)
        }
      }
    }
    if (!call.json) {
      for (const line of report.summary(results)) {
        print.line(line)
      }
    }
    if (values.junit !== undefined) {
      await writeReport(values.junit, junitReport(results, url))
    }
    return results.some(({ verdict }) => verdict === 'fail') ? exit.negative : exit.good
  },
})

type Values = Call<typeof options>['values']

/** Checks the selection, because a misspelled case must not look like a case that passes. */
async function selected({ only, skip }: Values) {
  const { selectCases, UnknownCaseError } = await import('./check/select.js')
  const selection = { ...(only.length > 0 && { only }), skip }
  try {
    return { selection, cases: selectCases(selection) }
  } catch (error) {
    if (!(error instanceof UnknownCaseError)) {
      throw error
    }
    const hint = error.given.includes(',')
      ? '; repeat the option for each'
      : didYouMean(error.given, error.known)
    throw new UsageError(`${error.message}${hint}`)
  }
}

async function settingsOf({ values, print, world }: Call<typeof options>) {
  const { probe, 'old-secret-file': oldSecretFile } = values
  if (probe !== undefined) {
    if (!probe.includes('{id}')) {
      throw new UsageError('--probe must hold {id}, which becomes the event id')
    }
    readUrl('--probe', probe)
  }
  const { secret } = await readSecret({ values, print, world })
  const oldSecret = oldSecretFile === undefined ? undefined : await readSecretFile(oldSecretFile)
  if (oldSecret !== undefined) {
    print.hide(oldSecret)
  }
  const scheme = await readScheme(values.scheme)
  const { signPayload } = await import('webhook-inbox')
  for (const each of [secret, oldSecret]) {
    if (each !== undefined) {
      // Throws here: a secret that is not base64, although the scheme needs base64, must not look like a fault of the endpoint.
      await signPayload({ body: '', secret: each, id: 'evt_1', ...(scheme && { scheme }) })
    }
  }
  return {
    secret,
    oldSecret,
    probe,
    scheme,
    toleranceSeconds: durationSeconds('tolerance', values.tolerance),
    timeoutSeconds: timeoutSeconds(values.timeout),
    envelope: envelopes[values.envelope as keyof typeof envelopes],
    isProduction: values.production,
    headers: readHeaders(values.header),
    sample: values.event === undefined ? undefined : await readSample(values.event),
  }
}

function list(cases: readonly Selected[], { json, print }: Call<typeof options>): ExitCode {
  for (const { id, group, title, rule, sends, needs } of cases) {
    if (json) {
      print.json({ id, group, title, rule, sends, ...(needs && { needs }) })
    } else {
      printCase({ id, group, title, sends }, print)
    }
  }
  return exit.good
}

function printCase(
  { id, group, title, sends }: Readonly<Record<'id' | 'group' | 'title' | 'sends', string>>,
  print: Printer,
): void {
  print.line(`${print.style('bold', id)} (${group}): ${title}`)
  print.line(`    sends ${sends}`)
}
