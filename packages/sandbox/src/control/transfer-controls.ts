import * as z from 'zod'
import { approvalRecord, transferRecord } from '../api/api-records.js'
import type { Api } from '../api/app.js'
import { decide, simulate } from '../bank/simulate.js'
import { transferStates } from '../bank/states.js'
import type { Service } from '../service.js'
import { bodyOf } from './input.js'

const simulation = z.strictObject({
  to: z.enum(transferStates, `must be one of ${transferStates.join(', ')}`),
  failureCode: z.string().min(1).max(255).optional(),
})

const decision = z.strictObject({
  decision: z.enum(['approved', 'rejected'], 'must be approved or rejected'),
})

/** `POST transfers/{id}/simulate`, `POST approvals/{id}/decide` */
export function transferRoutes(app: Api, service: Service): void {
  const { database } = service

  app.post('/_sandbox/transfers/:id/simulate', async (c) => {
    const { to, failureCode } = await bodyOf(c, simulation)
    const moved = database.transaction(() => simulate(service, c.req.param('id'), to, failureCode))()
    service.moved([moved.id])
    return c.json(transferRecord(moved, service.options))
  })

  app.post('/_sandbox/approvals/:id/decide', async (c) => {
    const { decision: decided } = await bodyOf(c, decision)
    const approval = database.transaction(() => decide(service, c.req.param('id'), decided))()
    service.moved([approval.transfer_id])
    return c.json(approvalRecord(approval))
  })
}
