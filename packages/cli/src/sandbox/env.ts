import { defineCommand } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { connect, connectionOptions } from './connection.js'
import type { Subscription } from './records.js'

export const env = defineCommand({
  about:
    'Prints the variables that a client and a receiver need, for a shell to evaluate. This prints the secret of the sandbox.',
  options: {
    subscription: {
      type: 'string',
      value: 'ID',
      help: 'Whose secret. Default: that of the first subscription',
    },
    ...connectionOptions,
  },
  examples: [
    ['', 'Prints them.'],
    ['> .env.local', 'Keeps them in a file.'],
    ['--json', 'Prints them as one JSON object.'],
  ],

  async run({ values, json, print, world }) {
    const connection = connect({ values, print, world })
    const { apiKey, subscriptions } = await connection.get<{ apiKey: string; subscriptions: Subscription[] }>(
      'config',
    )
    const { subscription: id } = values
    const found = id === undefined ? subscriptions[0] : subscriptions.find((each) => each.id === id)
    if (id !== undefined && !found) {
      throw new UsageError('there is no subscription with this id')
    }
    const variables = {
      SERVICE_URL: `${connection.origin}/v1`,
      SERVICE_API_KEY: apiKey,
      ...(found && { WEBHOOK_SECRET: found.secret }),
    }
    if (json) {
      print.json(variables)
    } else {
      for (const [name, value] of Object.entries(variables)) {
        print.line(`export ${name}=${quoted(value)}`)
      }
    }
    if (!found) {
      print.note('There is no subscription, so there is no WEBHOOK_SECRET.')
    }
    return exit.good
  },
})

/** A shell evaluates the output. The program on the port may not be a sandbox, so a value must not end its quotation. */
function quoted(value: unknown): string {
  if (typeof value !== 'string') {
    throw new UsageError('the response does not come from a sandbox')
  }
  return `'${value.replaceAll("'", "'\\''")}'`
}
