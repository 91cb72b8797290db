import { afterAll, beforeAll, expect, it } from 'vitest'
import { jsonLines, openRig, type Rig, until } from './rig.js'

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
  const started = await rig.inbox(['run', id, '--wait', '--yes', ...because])
  expect(started.code).toBe(0)
  const [run] = jsonLines(started.stdout) as { id: string }[]
  expect(run).toMatchObject({ state: 'done', applied: 3, remaining: 0, actor: 'a tester' })
  expect((await rig.running.health()).counts.dead).toBe(0)
  const runs = await rig.inbox(['runs'])
  expect(jsonLines(runs.stdout)).toMatchObject([{ id: run?.id, state: 'done' }])

  const late = await rig.inbox(['steer', run?.id as string, 'cancel', ...because])
  expect([late.code, jsonLines(late.stdout)]).toMatchObject([1, [{ isChanged: false, state: 'done' }]])
  const undone = await rig.inbox(['undo', run?.id as string, '--yes', ...because])
  expect(jsonLines(undone.stdout)).toEqual([{ id: run?.id, undone: 3 }])
  await until(async () => (await rig.running.health()).counts.dead === 3)
  const again = await rig.inbox(['undo', run?.id as string, '--yes', ...because])
  expect(again.code).toBe(2)

  const audits = await rig.inbox(['audits', '--event', 'evt_1'])
  expect((jsonLines(audits.stdout) as { action: string }[]).map(({ action }) => action)).toEqual([
    'undo',
    'discard',
  ])
}, 120_000)

it('says what it cannot use', async () => {
  for (const args of [
    ['plan', 'prune'],
    ['run', 'plan-unknown', '--yes', ...because],
    ['run', 'plan-unknown', '--dry-run', ...because],
    ['undo', 'evt_1', '--yes'],
  ]) {
    const { code, stderr } = await rig.inbox(args)
    expect([code, stderr !== ''], args.join(' ')).toEqual([2, true])
  }
}, 60_000)
