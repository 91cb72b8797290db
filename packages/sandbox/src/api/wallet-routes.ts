import { createRoute } from '@hono/zod-openapi'
import { Balance, PageQuery, pageOf, Wallet, WalletRequest } from 'webhook-inbox-client/schemas'
import * as z from 'zod'
import { createWallet, findWallet, listWallets, type WalletRow } from '../bank/wallets.js'
import type { Database } from '../database/open.js'
import type { Service } from '../service.js'
import { balanceRecord, walletRecord } from './api-records.js'
import type { Api } from './app.js'
import { commit } from './commit.js'
import { idempotencyHeader } from './idempotency-header.js'
import { pageRecord } from './pages.js'
import { Problem } from './problems.js'
import { acceptJson, assume, createdOf, createProblems, jsonBody, okOf, readProblems } from './route-parts.js'

const tags = ['Wallets']
const params = z.object({ id: z.string().meta({ description: 'The wallet.', examples: ['wallet_kes_ada'] }) })

const create = createRoute({
  method: 'post',
  path: '/v1/wallets',
  operationId: 'createWallet',
  summary: 'Create a wallet',
  tags,
  request: { headers: idempotencyHeader, body: jsonBody(WalletRequest) },
  responses: { 201: createdOf(Wallet, 'The wallet.'), ...createProblems },
  ...acceptJson('G2', 'G10'),
})

const list = createRoute({
  method: 'get',
  path: '/v1/wallets',
  operationId: 'listWallets',
  summary: 'List wallets',
  tags,
  request: { query: PageQuery },
  responses: { 200: okOf(pageOf(Wallet, 'WalletPage'), 'Wallets, the newest first.'), ...readProblems },
  ...assume('G2', 'G14', 'G15'),
})

const read = createRoute({
  method: 'get',
  path: '/v1/wallets/{id}',
  operationId: 'getWallet',
  summary: 'Read a wallet',
  tags,
  request: { params },
  responses: { 200: okOf(Wallet, 'The wallet.'), ...readProblems },
  ...assume('G2', 'G14'),
})

const readBalance = createRoute({
  method: 'get',
  path: '/v1/wallets/{id}/balance',
  operationId: 'getWalletBalance',
  summary: 'Read the balance of a wallet',
  tags,
  request: { params },
  responses: { 200: okOf(Balance, 'The balance.'), ...readProblems },
  ...assume('G2', 'G14'),
})

export function walletRoutes(app: Api, service: Service): void {
  const { database } = service
  app.openapi(create, (c) => {
    const request = c.req.valid('json')
    const record = commit(c, service, '/v1/wallets', () =>
      walletRecord(database, createWallet(service, request)),
    )
    c.set('subject', record.id)
    return c.json(record, 201)
  })
  app.openapi(list, (c) => {
    const page = pageRecord(
      c.req.valid('query'),
      (wanted) => listWallets(database, wanted),
      (row) => walletRecord(database, row),
    )
    return c.json(page, 200)
  })
  app.openapi(read, (c) => c.json(walletRecord(database, walletOf(database, c.req.valid('param').id)), 200))
  app.openapi(readBalance, (c) => {
    const { id } = walletOf(database, c.req.valid('param').id)
    return c.json(balanceRecord(database, id), 200)
  })
}

function walletOf(database: Database, id: string): WalletRow {
  const wallet = findWallet(database, id)
  if (wallet) {
    return wallet
  }
  throw new Problem('not_found', `There is no wallet ${id}.`)
}
