import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testSender } from 'webhook-inbox/testing'
import { webhookInbox } from '../in-process.js'
import { ids, jsonLines, openRig, type Rig, secret, until } from './rig.js'

let rig: Rig
beforeAll(async () => {
  delete process.env.IS_WELL
  rig = await openRig('receiver.ts')
})
afterAll(() => rig?.close())

const groups = async (...args: string[]) => jsonLines((await rig.inbox(['failures', ...args])).stdout)

describe('inbox failures', () => {
  it('lists the causes of dead events and of quarantined deliveries', async () => {
    const listed = await groups()
    expect(listed.map(({ title, count, state }) => [title, count, state]).sort()).toEqual([
      ['Error: the ledger refuses *', 3, 'open'],
      ['invalid_json', 1, 'open'],
    ])
    expect(await groups('--limit', '1')).toHaveLength(1)
    expect((await rig.inbox(['failures', '--limit', '1'])).stderr).toContain('There may be more')
  })

  it('prints a table in a terminal, with the cause first and an id that the commands accept', async () => {
    const args = ['inbox', 'failures', '--receiver', rig.module]
    const { stdout } = await webhookInbox(args, { columns: 120, env: { NO_COLOR: '1' } })
    expect(stdout).toMatch(/^CAUSE +COUNT +STATE +GROUP +LAST SEEN +EXAMPLE\n/)
    expect(stdout).toMatch(/^invalid_json +1 +open +invalid_json +2\d{3}-\S+Z +a delivery$/m)
    const [, short = ''] =
      /^Error: the ledger refuses \*, at .+ 3 +open +([0-9a-f]{8}) .+ evt_\d$/m.exec(stdout) ?? []
    const listed = await rig.inbox(['list', '--group', short])
    expect(ids(listed.stdout)).toEqual(['evt_1', 'evt_2', 'evt_3'])
    const planned = await rig.inbox(['plan', 'replay', '--group', short])
    expect(jsonLines(planned.stdout)[0]?.count).toBe(3)
    expect(ids((await rig.inbox(['list', '--group', `payments:${short.slice(0, 4)}`])).stdout)).toHaveLength(
      3,
    )
    const { code, stderr } = await rig.inbox(['failures', '--resolve', 'payments:', '--reason', 'r'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('payments: may be any of several groups: ')])
  })

  it('marks a cause as known or as fixed, and opens it again, with an audit', async () => {
    const [{ group }] = (await groups()).filter(({ count }) => count === 3)
    const about = ['--reason', 'the bank knows', '--actor', 'suite']
    const known = await rig.inbox(['failures', '--acknowledge', group, ...about])
    expect(jsonLines(known.stdout)).toEqual([{ group, state: 'acknowledged', isChanged: true }])
    expect((await groups('--state', 'acknowledged')).map((each) => each.group)).toEqual([group])
    const fixed = await rig.inbox(['failures', '--resolve', group, ...about])
    expect(jsonLines(fixed.stdout)).toEqual([{ group, state: 'resolved', isChanged: true }])
    const again = await rig.inbox(['failures', '--resolve', group, '--reason', 'twice'])
    expect([again.code, jsonLines(again.stdout)]).toEqual([
      0,
      [{ group, state: 'resolved', isChanged: false }],
    ])
    const late = await rig.inbox(['failures', '--acknowledge', group, ...about])
    expect([late.code, late.stderr]).toEqual([
      1,
      expect.stringMatching(/ is resolved now by suite since .*: the bank knows; nothing was done/),
    ])
    expect((await groups('--state', 'resolved')).map((each) => each.group)).toEqual([group])
    const [audit] = await rig.running.audits({ limit: 1 })
    expect(audit).toMatchObject({ action: 'resolveGroup', reason: 'the bank knows', actor: 'suite' })
    const reopened = await rig.inbox(['failures', '--reopen', group, '--reason', 'the wrong cause'])
    expect(jsonLines(reopened.stdout)).toEqual([{ group, state: 'open', isChanged: true }])
    const open = await rig.inbox(['failures', '--reopen', group, '--reason', 'twice'])
    expect([open.code, jsonLines(open.stdout)]).toEqual([0, [{ group, state: 'open', isChanged: false }]])
    expect((await groups('--state', 'open')).map((each) => each.group)).toContain(group)
    const [last] = await rig.running.audits({ limit: 1 })
    expect(last).toMatchObject({ action: 'reopenGroup', reason: 'the wrong cause', subject: group })
  })

  it('rejects two marks together, a mark without a reason, and an unknown state', async () => {
    const refused = async (...args: string[]) => (await rig.inbox(['failures', ...args])).code
    expect(await refused('--acknowledge', 'a', '--resolve', 'b', '--reason', 'c')).toBe(2)
    expect(await refused('--resolve', 'a', '--reopen', 'b', '--reason', 'c')).toBe(2)
    expect(await refused('--resolve', 'a')).toBe(2)
    expect(await refused('--reopen', 'a')).toBe(2)
    expect(await refused('--state', 'gone')).toBe(2)
  })
})

describe('inbox list', () => {
  const listed = async (...args: string[]) => ids((await rig.inbox(['list', ...args])).stdout)

  it('filters by group, resource and the time before which an event came', async () => {
    const [{ group }] = (await groups()).filter(({ count }) => count === 3)
    expect(await listed('--group', group)).toEqual(['evt_1', 'evt_2', 'evt_3'])
    expect(await listed('--resource', 'tr_evt_2')).toEqual(['evt_2'])
    expect(await listed('--until', '2999-01-01')).toHaveLength(4)
    expect(await listed('--until', '1h')).toEqual([])
    const { code, stderr } = await rig.inbox(['list', '--until', 'yesterday'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('--until must be such as 2h')])
  })

  it('counts the same events in a plan', async () => {
    const plan = async (...args: string[]) =>
      jsonLines((await rig.inbox(['plan', 'replay', ...args])).stdout)[0].count
    expect(await plan()).toBe(3)
    expect(await plan('--resource', 'tr_evt_2', '--until', '2999-01-01')).toBe(1)
    expect(await plan('--until', '1h')).toBe(0)
  })

  it('takes the dead events of a group in replay, as in plan replay', async () => {
    const [{ group }] = (await groups()).filter(({ count }) => count === 3)
    const args = ['replay', '--group', group, '--reason', 'a test', '--dry-run']
    const { code, stderr } = await rig.inbox(args)
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 events match.')])
    // Another event of these types is done.
    const ofTypes = await rig.inbox(['replay', '--type', 'transfer.*', '--reason', 'a test', '--dry-run'])
    expect(ofTypes.stderr).toContain('3 events match.')
  })

  it.each([
    [['list']],
    [['dead']],
    [['plan', 'replay']],
    [['plan', 'replay', '--state', 'done']],
    [['replay', '--reason', 'a test', '--yes']],
  ])('rejects a group that is not kept: %j', async (args) => {
    const { code, stdout, stderr } = await rig.inbox([...args, '--group', 'payments:1f'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('no group payments:1f is kept; inbox failures lists the groups')
  })

  it('finds nothing for a group that is kept and has no such event', async () => {
    const [{ group }] = (await groups()).filter(({ count }) => count === 3)
    const { code, stdout } = await rig.inbox(['list', '--state', 'done', '--group', group])
    expect([code, stdout]).toEqual([0, ''])
  })

  it('replays no single event with a filter', async () => {
    const args = ['replay', 'evt_1', '--reason', 'a test', '--yes', '--resource', 'tr_evt_2']
    expect((await rig.inbox(args)).code).toBe(2)
    expect((await rig.running.inspect('evt_1'))?.generation).toBe(0)
  })
})

describe('inbox show', () => {
  it('names the field that the sender renamed since the last event that succeeded', async () => {
    expect(JSON.parse((await rig.inbox(['show', 'evt_1', '--json'])).stdout).shapeChanges).toEqual([])
    const sender = testSender({ receiver: rig.running, secret })
    const isIn = (id: string, state: string) =>
      until(async () => (await rig.running.inspect(id))?.state === state)
    process.env.IS_WELL = '1'
    await sender.send('transfer.failed', { transferId: 'tr_8' }, { id: 'evt_8' })
    await isIn('evt_8', 'done')
    delete process.env.IS_WELL
    const renamed = { transferId: 'tr_9', failureReason: undefined, failureText: 'closed' }
    await sender.send('transfer.failed', renamed, { id: 'evt_9' })
    await isIn('evt_9', 'dead')

    const change = {
      change: 'renamed',
      path: 'data.failureText',
      before: 'data.failureReason',
      type: 'string',
    }
    expect(JSON.parse((await rig.inbox(['show', 'evt_9', '--json'])).stdout).shapeChanges).toEqual([change])
    const args = ['inbox', 'show', 'evt_9', '--receiver', rig.module]
    const { stdout } = await webhookInbox(args, { columns: 140, env: { NO_COLOR: '1' } })
    expect(stdout).toContain('shape         data.failureText may have been data.failureReason\n')
  })
})
