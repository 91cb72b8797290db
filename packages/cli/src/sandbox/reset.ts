import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { connect, connectionOptions } from './connection.js'

export const reset = defineCommand({
  about:
    'Puts the sandbox back to its seeds and to the subscriptions that it was started with. Everything else is deleted.',
  options: connectionOptions,
  examples: [['', 'Starts over.']],

  async run({ values, json, print, world }) {
    await connect({ values, print, world }).send('POST', 'reset')
    if (json) {
      print.json({ isReset: true })
    } else {
      print.line('The sandbox is as it was at its start.')
    }
    return exit.good
  },
})
