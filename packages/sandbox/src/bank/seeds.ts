import type { Context } from '../context.js'
import { readSetting, writeSetting } from '../database/settings.js'
import type { Product } from '../options/options.js'
import { outsideAccount, post } from './journal.js'
import { railsOf } from './rails.js'
import { createWallet } from './wallets.js'

const customers = ['ada', 'ben', 'chi']
const currencies = ['KES', 'USD']

/** The balance of each seeded wallet, in minor units: 1,000,000.00. */
const openingMinor = 100_000_000

const wallets = customers.flatMap((name) =>
  currencies.map((currency) => ({
    id: `wallet_${currency.toLowerCase()}_${name}`,
    owner: `cus_${name}`,
    currency,
    opening: '1000000.00',
  })),
)

/** The initial data of a sandbox. It is the same for every seed and every start. */
export function seedsOf(product: Product) {
  const rails = railsOf(product).map(({ id, summary }) => ({ id, summary }))
  return { customers: customers.map((name) => `cus_${name}`), wallets, rails, networks: rails }
}

/** Fills an empty database with the initial data. Does not change a database that was filled before. */
export function plantSeeds(context: Context): void {
  const { database } = context
  database.transaction(() => {
    if (readSetting(database, 'seeded')) {
      return
    }
    for (const { id, owner, currency } of wallets) {
      createWallet(context, { id, owner, currency })
      const from = outsideAccount(database, 'opening', currency)
      post(context, { transferId: null, from, to: id, minor: openingMinor, currency })
    }
    writeSetting(database, 'seeded', 'yes')
  })()
}
