import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tamper, testSender } from '../../src/testing/index.js'
import { ensureBuilt } from './built.js'
import { expectCleanEnd, secret, startExample } from './deliveries.js'

let data: string
beforeAll(async () => {
  await ensureBuilt()
  data = await mkdtemp(join(tmpdir(), 'webhook-inbox-prom-client-'))
})
afterAll(() => rm(data, { recursive: true, force: true }))

it('examples/prom-client: a telemetry of one’s own counts deliveries, runs and deaths', async () => {
  const { program, origin } = await startExample('prom-client/receiver.ts', {
    DATABASE: join(data, 'inbox.sqlite'),
  })
  const sender = testSender({ url: `${origin}/webhooks`, secret })
  const settled = await sender.send('transfer.settled')
  expect(await sender.redeliver(settled)).toMatchObject({ outcome: 'duplicate' })
  await sender.send('transfer.failed')
  await sender.deliver(tamper.body(await sender.prepare('transfer.settled')))
  await program.says(/is dead: no attempt is left/)
  const metrics = (await (await fetch(`${origin}/metrics`)).text()).split('\n')
  await expectCleanEnd(program)

  const of = (name: string) => metrics.filter((line) => line.startsWith(name)).sort()
  expect(of('webhook_deliveries_total')).toEqual([
    'webhook_deliveries_total{endpoint="default",outcome="accepted",code="",type="transfer.failed"} 1',
    'webhook_deliveries_total{endpoint="default",outcome="accepted",code="",type="transfer.settled"} 1',
    'webhook_deliveries_total{endpoint="default",outcome="duplicate",code="",type="transfer.settled"} 1',
    'webhook_deliveries_total{endpoint="default",outcome="rejected",code="signature_mismatch",type=""} 1',
  ])
  expect(of('webhook_run_seconds_count')).toEqual([
    'webhook_run_seconds_count{endpoint="default",type="transfer.failed",code="handler_failed"} 2',
    'webhook_run_seconds_count{endpoint="default",type="transfer.settled",code=""} 1',
  ])
  expect(of('webhook_deaths_total')).toEqual([
    'webhook_deaths_total{endpoint="default",type="transfer.failed"} 1',
  ])
  expect(of('webhook_oldest_pending_seconds')).toEqual(['webhook_oldest_pending_seconds 0'])
})
