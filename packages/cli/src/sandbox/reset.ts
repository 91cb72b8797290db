import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { connect, connectionOptions } from './connection.js'

export const reset = defineCommand({
  about: 'Restores the initial wallets and the subscriptions from the start. Deletes everything else.',
  options: connectionOptions,
  examples: [['', 'Starts over.']],

  async run({ values, json, print, world }) {
    await connect({ values, print, world }).send('POST', 'reset')
    if (json) {
      print.json({ isReset: true })
    } else {
      print.line('The sandbox has its initial state.')
    }
    return exit.good
  },
})
