import { createRoute } from '@hono/zod-openapi'
import { minorUnits, PageQuery, pageOf, Transfer, TransferRequest } from 'webhook-inbox-client/schemas'
import * as z from 'zod'
import { createTransfer, findTransfer, listTransfers, type NewTransfer } from '../bank/transfers.js'
import type { Options } from '../options/options.js'
import type { Service } from '../service.js'
import { transferRecord } from './api-records.js'
import type { Api } from './app.js'
import { commit } from './commit.js'
import { idempotencyHeader } from './idempotency-header.js'
import { pageRecord } from './pages.js'
import { Problem } from './problems.js'
import { acceptJson, assume, createdOf, createProblems, jsonBody, okOf, readProblems } from './route-parts.js'

const tags = ['Transfers']

const create = createRoute({
  method: 'post',
  path: '/v1/transfers',
  operationId: 'createTransfer',
  summary: 'Create a transfer',
  tags,
  request: { headers: idempotencyHeader, body: jsonBody(TransferRequest) },
  responses: { 201: createdOf(Transfer, 'The transfer. It is pending.'), ...createProblems },
  ...acceptJson('G3', 'G4', 'G11'),
})

const list = createRoute({
  method: 'get',
  path: '/v1/transfers',
  operationId: 'listTransfers',
  summary: 'List transfers',
  tags,
  request: { query: PageQuery },
  responses: { 200: okOf(pageOf(Transfer, 'TransferPage'), 'Transfers, the newest first.'), ...readProblems },
  ...assume('G4', 'G14', 'G15'),
})

const read = createRoute({
  method: 'get',
  path: '/v1/transfers/{id}',
  operationId: 'getTransfer',
  summary: 'Read a transfer',
  tags,
  request: { params: z.object({ id: z.string().meta({ description: 'The transfer.' }) }) },
  responses: { 200: okOf(Transfer, 'The transfer.'), ...readProblems },
  ...assume('G4', 'G14'),
})

export function transferRoutes(app: Api, service: Service): void {
  const { database, options } = service
  app.openapi(create, (c) => {
    const { amount, ...rest } = c.req.valid('json')
    checkShape(rest.destination, options)
    const minor = minorOf(amount, options)
    const record = commit(c, service, '/v1/transfers', () =>
      transferRecord(createTransfer(service, { ...rest, minor } as NewTransfer), options),
    )
    c.set('subject', `${record.id}  ${record.rail}`)
    return c.json(record, 201)
  })
  app.openapi(list, (c) => {
    const page = pageRecord(
      c.req.valid('query'),
      (wanted) => listTransfers(database, wanted),
      (row) => transferRecord(row, options),
    )
    return c.json(page, 200)
  })
  app.openapi(read, (c) => {
    const transfer = findTransfer(database, c.req.valid('param').id)
    return c.json(transferRecord(transfer, options), 200)
  })
}

/** Throws `Problem` if the sandbox accepts only the other shape. */
function checkShape(destination: unknown, { shape }: Options): void {
  const given = typeof destination === 'string' ? 'b' : 'a'
  if (shape !== 'both' && shape !== given) {
    const wanted = shape === 'a' ? 'an object (shape A)' : 'the id of a wallet (shape B)'
    throw new Problem('invalid_request', `destination must be ${wanted}.`, {
      param: 'destination',
      gap: 'G3',
    })
  }
}

/** The amount in minor units. The schema has checked it as major units. Throws `Problem`. */
function minorOf(amount: string | number, { shapeBUnit }: Options): number {
  if (typeof amount === 'string' || shapeBUnit === 'major') {
    return Number(minorUnits(amount))
  }
  if (Number.isInteger(amount)) {
    return amount
  }
  throw new Problem('invalid_request', 'amount must be a whole number of minor units.', {
    param: 'amount',
    gap: 'I12',
  })
}
