import { createRoute } from '@hono/zod-openapi'
import { Approval, PageQuery, pageOf } from 'webhook-inbox-client/schemas'
import * as z from 'zod'
import { findApproval, listApprovals } from '../bank/approvals.js'
import type { Service } from '../service.js'
import { approvalRecord } from './api-records.js'
import type { Api } from './app.js'
import { pageRecord } from './pages.js'
import { assume, okOf, readProblems } from './route-parts.js'

const tags = ['Approvals']

const list = createRoute({
  method: 'get',
  path: '/v1/approvals',
  operationId: 'listApprovals',
  summary: 'List approvals',
  tags,
  request: { query: PageQuery },
  responses: { 200: okOf(pageOf(Approval, 'ApprovalPage'), 'Approvals, the newest first.'), ...readProblems },
  ...assume('G6', 'G15'),
})

const read = createRoute({
  method: 'get',
  path: '/v1/approvals/{id}',
  operationId: 'getApproval',
  summary: 'Read an approval',
  tags,
  request: { params: z.object({ id: z.string().meta({ description: 'The approval.' }) }) },
  responses: { 200: okOf(Approval, 'The approval.'), ...readProblems },
  ...assume('G6'),
})

export function approvalRoutes(app: Api, { database }: Service): void {
  app.openapi(list, (c) => {
    const page = pageRecord(c.req.valid('query'), (wanted) => listApprovals(database, wanted), approvalRecord)
    return c.json(page, 200)
  })
  app.openapi(read, (c) => c.json(approvalRecord(findApproval(database, c.req.valid('param').id)), 200))
}
