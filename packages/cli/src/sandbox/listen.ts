import { createParser } from 'eventsource-parser'
import { type Call, defineCommand, type Options } from '../command.js'
import { exit, UnreachableError, UsageError } from '../exit.js'
import { readUrl } from '../http/url-argument.js'
import { printable } from '../printable.js'
import { connect, connectionOptions, fetchFrom } from './connection.js'
import { type Attempt, type Delivery, verdictOf } from './records.js'
import { serviceClient, withServiceErrors } from './service-client.js'

const options = {
  'forward-to': { type: 'string', value: 'URL', help: 'The receiver. Required' },
  events: {
    type: 'string',
    value: 'TYPES',
    default: '*',
    help: 'Event types with commas between them; prefix.* too',
  },
  envelope: {
    type: 'string',
    value: 'FORM',
    choices: ['camel', 'snake'],
    default: 'camel',
    help: 'The envelope',
  },
  ...connectionOptions,
} as const satisfies Options

export const listen = defineCommand({
  about:
    'Subscribes a receiver to a running sandbox, prints the secret of the subscription and each attempt, and ends the subscription at Ctrl-C.',
  options,
  examples: [
    ['--forward-to http://127.0.0.1:3000/webhooks', 'Delivers every event until Ctrl-C.'],
    [
      '--forward-to http://127.0.0.1:3000/webhooks --events transfer.*,ledger.matched',
      'Delivers only events of these types.',
    ],
  ],

  async run(call) {
    const { values, print, world, json } = call
    if (values['forward-to'] === undefined) {
      throw new UsageError('name the receiver with --forward-to URL')
    }
    const url = readUrl('--forward-to', values['forward-to']).href
    const connection = connect({ values, print, world })
    const client = await serviceClient(connection)
    const signal = world.interrupted()
    // Opened before the subscription, so that it shows the response to the first delivery.
    const stream = await fetchFrom(connection.origin, 'stream', { signal })
    const envelope = values.envelope === 'snake' ? 'snake_case' : 'camelCase'
    const { id, secret } = await withServiceErrors(
      client.webhookSubscriptions.create({ url, events: values.events.split(','), envelope }),
    )
    print.working(undefined)
    try {
      if (json) {
        print.json({ type: 'listening', id, url, secret })
      } else {
        print.line(`delivering  ${values.events} -> ${printable(url)}`)
        print.line(`secret      export WEBHOOK_SECRET='${secret}'`)
      }
      await follow(stream, signal, (notice) => {
        if (notice.delivery.subscriptionId === id) {
          report(notice, call)
        }
      })
    } finally {
      // A sandbox that has ended has no subscriptions left.
      await client.webhookSubscriptions.delete(id, { timeoutSeconds: 2 }).catch(() => {})
    }
    return exit.good
  },
})

interface Notice {
  readonly phase: 'started' | 'ended'
  readonly number: number
  readonly of: number
  readonly delivery: Delivery
  readonly attempt?: Attempt
}

/** Reads the sandbox’s stream until the signal. Throws `UnreachableError` if the sandbox ends first. */
async function follow(
  { body }: Response,
  signal: AbortSignal,
  onNotice: (notice: Notice) => void,
): Promise<void> {
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === 'attempt') {
        onNotice(JSON.parse(data) as Notice)
      }
    },
  })
  const decoder = new TextDecoder()
  try {
    for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
      parser.feed(decoder.decode(bytes, { stream: true }))
    }
  } catch {
    if (signal.aborted) {
      return
    }
  }
  throw new UnreachableError('the sandbox has ended')
}

function report(
  { phase, number, of, delivery, attempt }: Notice,
  { print, json }: Call<typeof options>,
): void {
  if (phase !== 'ended' || !attempt) {
    return
  }
  if (json) {
    print.json({ type: 'attempt', number, of, delivery, attempt })
    return
  }
  const isGood = attempt.response !== null && attempt.response.status < 300
  const verdict = print.style(isGood ? 'green' : 'red', printable(verdictOf(attempt)))
  print.line(
    `${attempt.startedAt}  ${delivery.eventType}  ${delivery.eventId}  attempt ${number} of ${of}  ${verdict}`,
  )
}
