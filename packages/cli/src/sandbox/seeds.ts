import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { printTable } from '../print-list.js'
import { connect, connectionOptions } from './connection.js'

interface Seeds {
  readonly wallets: readonly { id: string; owner: string; currency: string; opening: string }[]
  readonly rails: readonly { id: string; summary: string }[]
}

export const seeds = defineCommand({
  about:
    'Lists what a sandbox holds at its start: customers with their wallets, and the rails with what happens on each.',
  options: connectionOptions,
  examples: [
    ['', 'Lists the wallets and the rails.'],
    ['--json | jq -r ".rails[].id"', 'Prints the rails for a script.'],
  ],

  async run({ values, json, print, world }) {
    const found = await connect({ values, print, world }).get<Seeds>('seeds')
    if (json) {
      print.json(found)
      return exit.good
    }
    printTable(
      found.wallets,
      [
        { title: 'WALLET', text: ({ id }) => id },
        { title: 'OWNER', text: ({ owner }) => owner },
        { title: 'OPENING BALANCE', text: ({ opening, currency }) => `${opening} ${currency}` },
      ],
      print,
    )
    print.line()
    printTable(
      found.rails,
      [
        { title: 'RAIL OR NETWORK', text: ({ id }) => id },
        { title: 'WHAT HAPPENS', text: ({ summary }) => summary, isProse: true },
      ],
      print,
    )
    return exit.good
  },
})
