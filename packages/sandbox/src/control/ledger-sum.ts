import type { Api } from '../api/app.js'
import { toDecimal } from '../bank/money.js'
import type { Service } from '../service.js'

interface SumRow {
  readonly currency: string
  readonly lines: number
  readonly sum: number
}

/** `GET ledger`: the sum of all journal lines of each currency. If it is not zero, the sandbox has a bug. */
export function ledgerRoute(app: Api, { database }: Service): void {
  app.get('/_sandbox/ledger', (c) => {
    const rows = database
      .prepare(
        'SELECT currency, count(*) AS lines, sum(minor) AS sum FROM journal GROUP BY currency ORDER BY currency',
      )
      .all() as SumRow[]
    return c.json({
      data: rows.map(({ currency, lines, sum }) => ({ currency, lines, sum: toDecimal(sum) })),
    })
  })
}
