import { createRoute } from '@hono/zod-openapi'
import { LedgerEntry, PageQuery, pageOf } from 'webhook-inbox-client/schemas'
import * as z from 'zod'
import { listJournal } from '../bank/journal.js'
import type { Service } from '../service.js'
import { ledgerEntryRecord } from './api-records.js'
import type { Api } from './app.js'
import { pageRecord } from './pages.js'
import { assume, okOf, readProblems } from './route-parts.js'

const query = PageQuery.extend({
  account: z
    .string()
    .max(255)
    .optional()
    .meta({ description: 'Only lines of this account, such as a wallet.' }),
  transferId: z.string().max(255).optional().meta({ description: 'Only lines of this transfer.' }),
})

const list = createRoute({
  method: 'get',
  path: '/v1/ledger/entries',
  operationId: 'listLedgerEntries',
  summary: 'List journal lines',
  tags: ['Ledger'],
  request: { query },
  responses: {
    200: okOf(pageOf(LedgerEntry, 'LedgerEntryPage'), 'Journal lines, the newest first.'),
    ...readProblems,
  },
  ...assume('G6', 'G15'),
})

export function ledgerRoutes(app: Api, { database }: Service): void {
  app.openapi(list, (c) => {
    const { account, transferId, ...page } = c.req.valid('query')
    const record = pageRecord(
      page,
      (wanted) => listJournal(database, wanted, { account, transferId }),
      ledgerEntryRecord,
    )
    return c.json(record, 200)
  })
}
