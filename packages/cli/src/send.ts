import { defineCommand } from './command.js'
import { exit, UnreachableError, UsageError } from './exit.js'
import { headerOption, readHeaders } from './http/header-option.js'
import { readUrl } from './http/url-argument.js'
import { durationSeconds, timeoutSeconds, wholeNumber } from './numbers.js'
import { excerpt } from './printable.js'
import { readScheme, schemeOption } from './scheme-option.js'
import { readSecret, secretOptions, warnOfSecret } from './secrets.js'
import type { Sent } from './send/send-event.js'

export const send = defineCommand({
  usage: 'TYPE|FILE --to URL',
  about:
    'Signs and sends one event, and prints the response. A file is sent unchanged, and of a copied fixture its body. For a type, the event gets sample data. Exits with 0 if the response is correct, with 1 if it is not, and with 3 if there is no response.',
  positionals: { min: 1, max: 1 },
  options: {
    to: { type: 'string', value: 'URL', help: 'Where to send the event. Required' },
    set: {
      type: 'string',
      value: 'PATH=VALUE',
      multiple: true,
      help: 'Set a field, such as data.transferId=tr_9. The value is JSON, or else text',
    },
    envelope: {
      type: 'string',
      value: 'FORM',
      choices: ['camel', 'snake'],
      help: 'The envelope of an event of a TYPE. Default: camel',
    },
    times: {
      type: 'string',
      value: 'N',
      default: '1',
      help: 'Send the event N times, signed anew each time',
    },
    concurrent: { type: 'boolean', help: 'Send all of them at the same time' },
    stale: { type: 'boolean', help: 'Sign with a timestamp outside the tolerance: it must be rejected' },
    tamper: { type: 'boolean', help: 'Change the body after signing: it must be rejected' },
    tolerance: {
      type: 'string',
      value: 'DURATION',
      default: '300s',
      help: 'The tolerance of the receiver, for --stale',
    },
    timeout: { type: 'string', value: 'DURATION', default: '15s', help: 'How long a response may take' },
    ...headerOption,
    ...schemeOption,
    ...secretOptions,
  },
  examples: [
    ['transfer.settled --to http://127.0.0.1:3000/webhooks', 'Sends a sample event.'],
    ['event.json --to http://127.0.0.1:3000/webhooks', 'Sends exactly these bytes.'],
    [
      'transfer.failed --to http://127.0.0.1:3000/webhooks --set data.transferId=tr_9 --times 8 --concurrent',
      'Sends one event eight times at the same moment.',
    ],
    ['transfer.settled --to http://127.0.0.1:3000/webhooks --tamper', 'Succeeds if the receiver rejects it.'],
  ],

  async run({ values, positionals, json, print, world }) {
    const [what] = positionals as [string]
    if (values.to === undefined) {
      throw new UsageError('name the endpoint with --to URL')
    }
    const url = readUrl('--to', values.to)
    const count = wholeNumber('times', values.times, { min: 1, max: 1000 })
    const toleranceSeconds = durationSeconds('tolerance', values.tolerance)
    const limit = timeoutSeconds(values.timeout)
    const headers = readHeaders(values.header)
    const scheme = await readScheme(values.scheme)
    const named = await readSecret({ values, print, world })
    const { secret } = named
    await warnOfSecret(named, scheme, print)
    const [{ readEvent }, { sendEvent }] = await Promise.all([
      import('./send/read-event.js'),
      import('./send/send-event.js'),
    ])
    const event = await readEvent(what, {
      fields: values.set,
      envelope: values.envelope as 'camel' | 'snake' | undefined,
      stdin: world.stdin,
    })
    for (const warning of event.warnings ?? []) {
      print.warn(warning)
    }
    if (event.note !== undefined) {
      print.note(event.note)
    }

    if (!json) {
      print.line(`${print.style('bold', excerpt(event.name, 200))} -> ${url.origin}${url.pathname}`)
    }
    print.working(`waiting for ${url.host}`)
    const answers: Sent[] = []
    for await (const sent of sendEvent(event, {
      url,
      secret,
      scheme,
      headers,
      count,
      isConcurrent: values.concurrent,
      ageSeconds: values.stale ? Math.ceil(toleranceSeconds) + 60 : 0,
      isTampered: values.tamper,
      timeoutSeconds: limit,
    })) {
      answers.push(sent)
      if (json) {
        print.json(sent)
      } else {
        for (const line of lines(sent, count, print.style)) {
          print.line(line)
        }
      }
    }
    const unanswered = answers.find((sent) => sent.problem !== undefined)
    if (unanswered) {
      throw new UnreachableError(unanswered.problem as string)
    }
    return answers.every(({ isExpected }) => isExpected) ? exit.good : exit.negative
  },
})

function lines(
  sent: Sent,
  count: number,
  style: (format: 'green' | 'red' | 'dim', text: string) => string,
): string[] {
  const { turn, status, milliseconds, verdict, body, isExpected, expected } = sent
  if (status === undefined) {
    return []
  }
  const number = count > 1 ? `${turn}  `.padStart(6) : '  '
  const mark = isExpected ? style('green', 'as expected') : style('red', `expected ${expected}`)
  const said = verdict === undefined ? '' : `  ${excerpt(verdict, 80)}`
  const first = `${number}${status}  ${milliseconds} ms${said}  ${mark}`
  return body === undefined || body === '' ? [first] : [first, style('dim', `      ${excerpt(body, 2000)}`)]
}
