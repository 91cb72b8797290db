import { join } from 'node:path'
import Libsql from 'libsql'
import { describe, expect, it } from 'vitest'
import { fixture, testSender } from 'webhook-inbox/testing'
import { audit, because, rig, shown, slowRun, useOwnRig } from './own-rig.js'
import { jsonLines, programs, secret } from './rig.js'

useOwnRig()

describe('a bulk run', () => {
  const titles = 'STARTED  RUN  ACTION  STATE  APPLIED  SKIPPED  FAILED  REMAINING  BY  NOTE'

  it('is planned and listed', async () => {
    expect(await shown('plan', 'discard', '--type', 'transfer.*')).toEqual([0, 'plan-ID  discard 3 events'])
    expect(await shown('plan', 'giveUp')).toEqual([0, 'plan-ID  giveUp 0 events'])
    expect(await shown('plans')).toEqual([
      0,
      'MADE  PLAN  WOULD  WHERE',
      'TIME  plan-ID  giveUp 0 events  {}',
      'TIME  plan-ID  discard 3 events  {"type":"transfer.*"}',
    ])
    expect(await shown('plans', '--limit', '1')).toHaveLength(3)
    const { stdout } = await rig.inbox(['plans'])
    expect(jsonLines(stdout)).toMatchObject([{ action: 'giveUp' }, { action: 'discard', count: 3 }])
    expect(await shown('plan', 'prune')).toEqual([
      2,
      'webhook-inbox: name an action: replay, discard, retryNow, giveUp',
      'See webhook-inbox inbox plan --help.',
    ])
  })

  it('is shown before it starts, and not started with --dry-run', async () => {
    const { id } = await rig.running.plan({ action: 'discard' })
    const args = ['run', id, '--dry-run', ...because]
    expect(await shown(...args)).toEqual([0, 'plan-ID  discard 3 events, at most 100 each second'])
    expect(await shown(...args, '--per-second', '7')).toEqual([
      0,
      'plan-ID  discard 3 events, at most 7 each second',
    ])
    expect(await rig.running.runs()).toEqual([])
    for (const [option, message] of [
      ['--per-second', 'of at least 1'],
      ['--canary', 'of at least 0'],
    ] as const) {
      const value = option === '--canary' ? 'x' : '0'
      expect((await shown(...args, option, value))[1]).toBe(
        `webhook-inbox: ${option} must be a whole number ${message}`,
      )
    }
  })

  it('starts with the pace, the canary and the audit that are given', async () => {
    const { id } = await rig.running.plan({ action: 'discard' })
    const { code, stdout } = await rig.inbox([
      'run',
      id,
      '--yes',
      '--per-second',
      '7',
      '--canary',
      '2',
      ...because,
    ])
    const [run] = jsonLines(stdout)
    expect(code).toBe(0)
    expect(run).toMatchObject({ perSecond: 7, canary: 2, actor: 'ada', reason: 'the bank is back', count: 3 })
  })

  it('is paused, resumed and cancelled, and its list says by whom', async () => {
    const run = await slowRun()
    const row = (state: string, note: string) => [
      0,
      titles,
      `TIME  run-ID  discard  ${state}  1  0  0  2  grace  ${note}`,
    ]
    expect(await shown('runs')).toEqual(row('running', 'too many'))
    expect(await shown('steer', run.id, 'pause', ...because)).toEqual([0, 'run-ID  paused'])
    expect(await shown('runs')).toEqual(row('paused', 'paused by ada: the bank is back'))
    expect(await shown('steer', run.id, 'pause', ...because)).toEqual([1, 'run-ID  paused (nothing changed)'])
    expect(await shown('steer', run.id.slice(0, 14), 'resume', ...because)).toEqual([0, 'run-ID  running'])
    expect(await shown('runs')).toEqual(row('running', 'too many'))
    expect(await shown('steer', run.id, 'cancel', ...because)).toEqual([0, 'run-ID  cancelled'])
    expect(await shown('runs')).toEqual(row('cancelled', 'cancelled by ada: the bank is back'))
    const { stdout } = await rig.inbox(['steer', run.id, 'cancel', ...because])
    expect(jsonLines(stdout)).toMatchObject([{ id: run.id, state: 'cancelled', isChanged: false }])
    expect(await shown('steer', run.id, 'stop', ...because)).toEqual([
      2,
      'webhook-inbox: say what to do: pause, resume, cancel',
      'See webhook-inbox inbox steer --help.',
    ])
    expect(await shown('undo', run.id, '--yes', ...because)).toEqual([
      0,
      expect.stringMatching(/^event evt_\d {2}can be restored until TIME$/),
      '1 event or delivery restored',
    ])
    expect(await shown('runs')).toEqual(row('undone', 'undone by ada: the bank is back'))
  })

  it('that another operator steers first is not steered', async () => {
    const run = await slowRun()
    const { code, stdout, stderr } = await rig.inbox(
      ['steer', run.id, 'cancel', '--reason', 'r'],
      programs('steered.mjs'),
    )
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^webhook-inbox: run-\S+ is paused now by Anna since 2\S+Z: a wrong amount; nothing was done$/m,
    )
    await run.cancel(audit)
  })

  it('is cancelled first where its discards are undone', async () => {
    const run = await slowRun()
    expect(await shown('undo', run.id, '--dry-run', ...because)).toEqual([
      0,
      expect.stringMatching(/^event evt_\d {2}can be restored until TIME$/),
      'The run is running. It is cancelled first, so it discards nothing more.',
    ])
    expect((await run.progress()).state).toBe('running')
    const { stdout } = await rig.inbox(['undo', run.id.slice(0, 14), '--yes', ...because])
    expect(jsonLines(stdout)).toEqual([{ id: run.id, undone: 1 }])
    expect(await run.progress()).toMatchObject({ state: 'cancelled', restored: 1 })
    expect((await shown('undo', run.id, '--yes', ...because))[1]).toMatch(
      /^webhook-inbox: nothing was restored: ada restored it at TIME$/,
    )
  })
})

describe('the audits', () => {
  it('tell what each act was about', async () => {
    const { running } = rig
    await running.pause({ type: 'a.b' }, audit)
    await running.discard('evt_1', audit)
    const [{ key = '' } = {}] = await running.quarantined()
    await running.discard(key, audit)
    const run = await slowRun()
    await run.cancel(audit)
    const [code, ...lines] = await shown('audits')
    expect([code, ...lines.map((line) => String(line).replace(/evt_[23]/, 'evt_N'))]).toEqual([
      0,
      'TIME  ACTION  EVENT  BY  REASON',
      'TIME  cancelRun  run-ID  grace  too many',
      'TIME  discard  evt_N  grace  too many',
      'TIME  startRun  plan-ID  grace  too many',
      'TIME  discard  payments/KEY  grace  too many',
      'TIME  discard  evt_1  grace  too many',
      'TIME  pause  type a.b  grace  too many',
    ])
    expect(await shown('audits', '--run', run.id.slice(0, 14))).toHaveLength(5)
    expect(await shown('audits', '--event', 'evt_1', '--limit', '1')).toEqual([
      0,
      'TIME  ACTION  EVENT  BY  REASON',
      'TIME  discard  evt_1  grace  too many',
    ])
    expect(await shown('audits', '--run', 'run-none')).toEqual([0, 'There is no entry.'])
    expect(await shown('audits', '--limit', '2', '--all-endpoints')).toHaveLength(4)
    expect(await shown('audits', '--limit', '0')).toHaveLength(3)
  })

  it('name the key of a discarded delivery, not the stored event that has its id', async () => {
    const { running } = rig
    const other = await fixture('transfer.failed', { id: 'evt_1', secret, data: { transferId: 'tr_other' } })
    await testSender({ receiver: running, secret }).deliver(other)
    const [{ key = '' } = {}] = await running.quarantined({ eventId: 'evt_1' })
    await running.discard(key, audit)
    expect(await shown('audits')).toEqual([
      0,
      'TIME  ACTION  EVENT  BY  REASON',
      'TIME  discard  payments/KEY  grace  too many',
    ])
  })

  it('name the key where an old version noted nothing else', async () => {
    const database = new Libsql(join(rig.folder, 'inbox.db'))
    // As the migration writes it for a replay whose event was deleted.
    database.exec(
      "INSERT INTO webhook_inbox_audits (at, action, key, reason, actor) VALUES (0, 'replay', 'payments:evt_0', 'once', 'ada')",
    )
    database.close()
    expect((await shown('audits', '--all-endpoints')).slice(2)).toEqual([
      'TIME  replay  payments:evt_0  ada  once',
    ])
  })
})
