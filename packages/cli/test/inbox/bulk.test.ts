import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliveryOf, testSender } from 'webhook-inbox/testing'
import { resolveRun } from '../../src/inbox/resolve-id.js'
import { webhookInbox } from '../in-process.js'
import { ids, jsonLines, openRig, type Rig, secret, toldOf, until } from './rig.js'

const because = ['--reason', 'the ledger is back', '--actor', 'a tester']

let rig: Rig
beforeAll(async () => {
  rig = await openRig('receiver.ts')
})
afterAll(() => rig?.close())

it('plans, runs, lists, steers, undoes and audits', async () => {
  const planned = await rig.inbox(['plan', 'discard', '--type', 'transfer.*'])
  expect(planned.code).toBe(0)
  const [plan] = jsonLines(planned.stdout) as { id: string; count: number }[]
  expect(plan).toMatchObject({ action: 'discard', count: 3, isCapped: false })
  const id = plan?.id as string

  const dry = await rig.inbox(['run', id, '--dry-run', ...because])
  expect(dry).toMatchObject({ code: 0, stdout: '' })
  expect(dry.stderr).toContain(`${id}  discard 3 events, at most 100 each second\n`)
  expect(await rig.running.runs()).toEqual([])

  const refused = await rig.inbox(['run', id, ...because])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('--yes')
  const slow = ['--per-second', '50', '--wait', '--yes']
  const started = await rig.inbox(['run', id.slice(0, 13), ...slow, ...because])
  expect(started.code).toBe(0)
  const [run] = jsonLines(started.stdout) as { id: string }[]
  expect(run).toMatchObject({ state: 'done', applied: 3, remaining: 0, perSecond: 50, actor: 'a tester' })
  expect((await rig.running.health()).counts.dead).toBe(0)
  const runs = await rig.inbox(['runs'])
  expect(jsonLines(runs.stdout)).toMatchObject([{ id: run?.id, state: 'done' }])

  const short = run?.id.slice(0, 12) as string
  const late = await rig.inbox(['steer', short, 'cancel', ...because])
  expect([late.code, jsonLines(late.stdout)]).toMatchObject([1, [{ isChanged: false, state: 'done' }]])
  const foreseen = await rig.inbox(['undo', short, '--dry-run', ...because])
  expect(foreseen).toMatchObject({ code: 0, stdout: '' })
  expect(foreseen.stderr.match(/^event evt_\d {2}can be restored until 2/gm)).toHaveLength(3)
  const undone = await rig.inbox(['undo', short, '--yes', ...because])
  expect(jsonLines(undone.stdout)).toEqual([{ id: run?.id, undone: 3 }])
  await until(async () => (await rig.running.health()).counts.dead === 3)
  const again = await rig.inbox(['undo', run?.id as string, '--yes', ...because])
  expect([again.code, toldOf(again)]).toEqual([
    1,
    expect.stringMatching(/^webhook-inbox: nothing was restored: a tester restored it at 2\S+Z$/),
  ])
  const asked = await rig.inbox(['undo', run?.id as string, ...because])
  expect([asked.code, toldOf(asked)]).toEqual([1, toldOf(again)])
  expect((await rig.inbox(['undo', 'evt_1', '--dry-run', ...because])).code).toBe(1)
  const acts = [{ action: 'undo', actor: 'a tester', reason: 'the ledger is back' }]
  expect(jsonLines((await rig.inbox(['runs'])).stdout)).toMatchObject([{ id: run?.id, applied: 3, acts }])
  const listed = await webhookInbox(['inbox', 'runs', '-r', rig.module], { columns: 200 })
  expect(listed.stdout).toMatch(/ discard {2}undone {2}.*undone by a tester: the ledger is back$/m)
  expect(jsonLines((await rig.inbox(['audits', '--run', short])).stdout)).toHaveLength(7)
  const second = jsonLines((await rig.inbox(['plan', 'discard'])).stdout)[0].id
  expect(ids((await rig.inbox(['plans'])).stdout)).toEqual([second, id])
  const table = await webhookInbox(['inbox', 'plans', '-r', rig.module], { columns: 120 })
  expect(table.stdout).toContain(`${id.slice(0, 13)}  discard 3 events  {"type":"transfer.*"}`)

  const audits = await rig.inbox(['audits', '--event', 'evt_1'])
  expect((jsonLines(audits.stdout) as { action: string }[]).map(({ action }) => action)).toEqual([
    'undo',
    'discard',
  ])
}, 240_000)

it('discards and undoes what --kind names, where an event has the key of a delivery as its id', async () => {
  const key = (await rig.running.quarantined())[0]?.key as string
  const created_at = new Date().toISOString()
  const event = {
    id: key,
    type: 'transfer.failed',
    environment: 'sandbox',
    created_at,
    data: { transfer_id: 'k' },
  }
  const sender = testSender({ receiver: rig.running, secret })
  await sender.deliver(await deliveryOf(JSON.stringify(event), { secret, id: key }))
  await until(async () => (await rig.running.inspect(key))?.state === 'dead')
  const kept = async () => [
    (await rig.running.inspect(key)) !== undefined,
    (await rig.running.inspectQuarantined(key)) !== undefined,
  ]
  const inbox = (...args: string[]) => rig.inbox([...args, '--yes', ...because])
  const unclear = await inbox('discard', key)
  expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringContaining('say which with --kind')])
  expect((await inbox('discard', key, '--kind', 'delivery')).code).toBe(0)
  expect(await kept()).toEqual([true, false])
  const audits = ['inbox', 'audits', '--limit', '1', '-r', rig.module]
  expect((await webhookInbox(audits, { columns: 200 })).stdout).toContain(`discard  ${key}`)
  expect((await inbox('discard', key, '--kind', 'event')).code).toBe(0)
  expect(await kept()).toEqual([false, false])
  expect(jsonLines((await inbox('undo', key, '--kind', 'delivery')).stdout)).toEqual([{ id: key, undone: 1 }])
  expect(await kept()).toEqual([false, true])
  expect((await inbox('undo', key, '--kind', 'event')).code).toBe(0)
  expect(await kept()).toEqual([true, true])
}, 60_000)

it('exits with 1 where the canary stops a run', async () => {
  const [plan] = jsonLines((await rig.inbox(['plan', 'replay', '--type', 'transfer.failed'])).stdout)
  const ran = await rig.inbox(['run', plan.id, '--canary', '1', '--wait', '--yes', ...because])
  expect(jsonLines(ran.stdout)).toMatchObject([{ state: 'stopped', applied: 1 }])
  expect(ran.code).toBe(1)
}, 60_000)

it('says who paused, cancelled and undid a run', async () => {
  const [plan] = jsonLines((await rig.inbox(['plan', 'discard'])).stdout)
  const audit = { reason: 'too many', actor: 'operator 2' }
  const run = await rig.running.run(plan.id, { ...audit, perSecond: 0.001 })
  await until(async () => (await run.progress()).applied > 0)
  await run.pause(audit)
  const table = async () => (await webhookInbox(['inbox', 'runs', '-r', rig.module], { columns: 200 })).stdout
  expect(await table()).toMatch(/ discard {2}paused {2}.*paused by operator 2: too many$/m)
  await run.resume(audit)
  expect(await table()).toMatch(/ discard {2}running .* too many$/m)
  await run.cancel(audit)
  expect(await table()).toMatch(/ discard {2}cancelled {2}.*cancelled by operator 2: too many$/m)
  expect((await rig.inbox(['undo', run.id, '--yes', ...because])).code).toBe(0)
  expect(await table()).toMatch(/ discard {2}undone {2}.*undone by a tester: the ledger is back$/m)
}, 60_000)

it('cancels a run that has not ended before it restores what that discarded', async () => {
  const plan = await rig.running.plan({ action: 'discard' })
  const run = await rig.running.run(plan, { reason: 'too many', actor: 'operator 2', perSecond: 0.001 })
  await until(async () => (await run.progress()).applied === 1)
  const undone = await rig.inbox(['undo', run.id, '--yes', ...because])
  expect(undone.stderr).toContain('The run is running. It is cancelled first, so it discards nothing more.')
  expect(jsonLines(undone.stdout)).toEqual([{ id: run.id, undone: 1 }])
  expect(await run.progress()).toMatchObject({ state: 'cancelled', restored: 1 })
}, 60_000)

it('finds a run by the beginning of its id behind the first page', async () => {
  const { running } = rig
  const plan = await running.plan({ action: 'retryNow' })
  const audit = { reason: 'the ledger is back', actor: 'a tester' }
  const oldest = (await running.run(plan, audit)).id
  for (let i = 0; i < 100; i++) {
    await running.run(plan, audit)
  }
  expect(await resolveRun(running, oldest.slice(0, -4))).toBe(oldest)
}, 60_000)

it('warns in the plan of a replay that a later event of the same resource is done', async () => {
  const sender = testSender({ receiver: rig.running, secret })
  await sender.send('transfer.failed', { transferId: 'tr_late' }, { id: 'evt_late' })
  await until(async () => (await rig.running.inspect('evt_late'))?.state === 'dead')
  await sender.send('transfer.settled', { transferId: 'tr_late' }, { id: 'evt_later' })
  await until(async () => (await rig.running.inspect('evt_later'))?.state === 'done')
  const { code, stderr } = await rig.inbox(['plan', 'replay'])
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/1 has a later event of the same resource that is done\. It runs after that one/),
  ])
  expect((await rig.inbox(['plan', 'discard'])).stderr).not.toContain('later event')
}, 60_000)

it('says what it cannot use', async () => {
  for (const args of [
    ['plan', 'prune'],
    ['run', 'plan-unknown', '--yes', ...because],
    ['run', 'plan-unknown', '--dry-run', ...because],
    ['run', 'plan-', '--dry-run', ...because],
    ['steer', 'run-unknown', 'pause', ...because],
    ['undo', 'evt_1', '--yes'],
  ]) {
    const { code, stderr } = await rig.inbox(args)
    expect([code, stderr !== ''], args.join(' ')).toEqual([2, true])
  }
}, 60_000)
