import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deliveryOf, testSender } from 'webhook-inbox/testing'
import { webhookInbox } from '../in-process.js'
import { jsonLines, openRig, programs, type Rig, secret, steady, until } from './rig.js'

const because = ['--reason', 'the bank is back', '--actor', 'ada']
const audit = { reason: 'too many', actor: 'grace' }

let rig: Rig
beforeEach(async () => {
  delete process.env.IS_WELL
  rig = await openRig('receiver.ts')
})
afterEach(() => rig?.close())

/** The exit code and the screen of a command on a wide terminal. */
async function shown(...args: string[]) {
  const { code, screen } = await rig.terminal(args)
  return [code, ...steady(screen)]
}

/** A run that discards one event and then waits. */
async function slowRun() {
  const plan = await rig.running.plan({ action: 'discard' })
  const run = await rig.running.run(plan, { ...audit, perSecond: 0.001 })
  await until(async () => (await run.progress()).applied === 1)
  return run
}

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
})

describe('what was discarded', () => {
  it('is restored, or stays where it was delivered again', async () => {
    const { running } = rig
    await running.discard('evt_1', audit)
    const [{ key = '' } = {}] = await running.quarantined()
    await running.discard(key, audit)
    expect(await shown('undo', key, '--yes', ...because)).toEqual([
      0,
      'quarantined delivery payments/KEY  can be restored until TIME',
      '1 event or delivery restored',
    ])
    const sender = testSender({ receiver: running, secret })
    await sender.send('transfer.settled', {}, { id: 'evt_1' })
    const again = await shown('undo', 'evt_1', '--dry-run', ...because)
    expect(again).toEqual([0, 'event evt_1  stays: it was delivered again'])
    expect(await shown('discard', 'evt_2', key, '--yes', ...because)).toEqual([
      0,
      'evt_2  dead event, transfer.failed',
      'payments/KEY  quarantined delivery, invalid_json',
      'evt_2  discarded',
      'payments/KEY  discarded',
    ])
    expect((await shown('discard', 'evt_2', '--yes', ...because)).slice(0, 2)).toEqual([
      1,
      'evt_2  rejected: Event evt_2 was discarded by ada at TIME: the bank is back; undo is possible until TIME.',
    ])
    expect((await shown('replay', 'evt_2', ...because))[1]).toBe(
      'webhook-inbox: nothing was done. Event evt_2 was discarded by ada at TIME: the bank is back; undo is possible until TIME.',
    )
  })

  it('is previewed up to twenty', async () => {
    const sender = testSender({ receiver: rig.running, secret })
    for (let n = 4; n < 22; n++) {
      await sender.send('transfer.failed', {}, { id: `evt_${n}` })
    }
    await until(async () => (await rig.running.health()).counts.dead === 21)
    const run = await rig.running.run(await rig.running.plan({ action: 'discard' }), {
      ...audit,
      perSecond: 1000,
    })
    await until(async () => (await run.progress()).applied === 21)
    const lines = await shown('undo', run.id, '--dry-run', ...because)
    expect(lines).toHaveLength(22)
    expect(lines.at(-1)).toBe('There may be more than these 20.')
  }, 60_000)
})

describe('verify-again', () => {
  const inexact = async (id: string) => {
    const event = `{"id":"${id}","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}`
    await testSender({ receiver: rig.running, secret }).deliver(await deliveryOf(event, { secret, id }))
    const [delivery] = await rig.running.quarantined({ eventId: id })
    return delivery?.key as string
  }

  it('accepts what fits now, and keeps the rest', async () => {
    const key = await inexact('evt_inexact')
    expect(await shown('verify-again', key, '--yes', ...because)).toEqual([
      1,
      '1 delivery in quarantine matches.',
      expect.stringMatching(/^payments\/KEY {2}stays: invalid_data: .*data\.a/),
    ])
    process.env.ROUNDS_NUMBERS = '1'
    expect(await shown('verify-again', key, '--code', 'invalid_json', '--yes', ...because)).toEqual([
      0,
      '0 deliveries in quarantine match.',
    ])
    expect(await shown('verify-again', '--yes', ...because)).toEqual([
      1,
      '2 deliveries in quarantine match.',
      'evt_inexact  accepted',
      'payments/KEY  stays: invalid_json',
    ])
    const other = await inexact('evt_other')
    expect(await shown('verify-again', other, '--code', 'invalid_data', '--yes', ...because)).toEqual([
      0,
      '1 delivery in quarantine matches.',
      'evt_other  accepted',
    ])
    const { stdout } = await rig.inbox(['verify-again', await inexact('evt_third'), '--yes', ...because])
    delete process.env.ROUNDS_NUMBERS
    expect(jsonLines(stdout)).toEqual([{ id: 'evt_third', isReleased: true }])
    expect((await shown('verify-again', other, '--yes', ...because))[1]).toMatch(
      /^webhook-inbox: (nothing was done\. |no quarantined delivery payments\/KEY is kept; inbox quarantine lists the keys)/,
    )
    expect(await shown('verify-again', `payments/${'0'.repeat(64)}`, '--yes', ...because)).toEqual([
      1,
      'webhook-inbox: no quarantined delivery payments/KEY is kept; inbox quarantine lists the keys',
    ])
  })

  it('names each delivery that another operator took first', async () => {
    const args = (columns?: number) =>
      webhookInbox(
        [
          'inbox',
          'verify-again',
          '--code',
          'invalid_data',
          '--yes',
          ...because,
          '-r',
          programs('outrun.mjs'),
        ],
        {
          env: { ...(process.env as Record<string, string>), NO_COLOR: '1' },
          ...(columns && { columns }),
        },
      )
    const key = await inexact('evt_inexact')
    const onTerminal = await args(200)
    expect([onTerminal.code, ...steady(onTerminal.stdout)]).toEqual([
      0,
      'payments/KEY  gone: another operator released or discarded it first',
    ])
    await inexact('evt_inexact')
    const piped = await args()
    expect([piped.code, jsonLines(piped.stdout)]).toEqual([0, [{ key, isReleased: false, isGone: true }]])
  })
})

it('replay of many reports each event that another operator changed first', async () => {
  const args = ['replay', '--state', 'dead', '--reason', 'r', '--actor', 'ada']
  const { code, screen } = await rig.terminal(args, {
    keys: 'y\r',
    asked: () => rig.running.discard('evt_2', audit),
  })
  expect([code, ...steady(screen).slice(-4)]).toEqual([
    1,
    'evt_1  queued, replay 1',
    'warning: evt_2 was not replayed: evt_2 changed since you looked: already discarded by grace at TIME; nothing was done',
    'evt_3  queued, replay 1',
    '1 event of 3 not replayed.',
  ])
})

it('replay shows the first ten of many events', async () => {
  const sender = testSender({ receiver: rig.running, secret })
  for (let n = 4; n < 13; n++) {
    await sender.send('transfer.failed', {}, { id: `evt_${n}` })
  }
  const preview = () => shown('replay', '--state', 'dead', '--dry-run', ...because)
  await until(async () => (await rig.running.health()).counts.dead === 12)
  const lines = await preview()
  expect(lines).toHaveLength(14)
  expect(lines.slice(-2)).toEqual(['... and 2 events more', '12 events match.'])
  await rig.running.discard('evt_12', audit)
  expect((await preview()).slice(-2)).toEqual(['... and 1 event more', '11 events match.'])
  await rig.running.discard('evt_11', audit)
  expect((await preview()).slice(-1)).toEqual(['10 events match.'])
  expect(await preview()).toHaveLength(13)
})

it('replay-edited says what it runs, and takes whole bodies or data', async () => {
  const file = join(rig.folder, 'edited.json')
  await writeFile(file, '{}')
  const edit = (id: string, ...args: string[]) => shown('replay-edited', id, file, ...args, ...because)
  expect(await edit('evt_1', '--data', '--dry-run')).toEqual([
    0,
    expect.stringMatching(
      /^evt_1, transfer\.failed, is dead\. The edited body has 1\d\d bytes, and its copy gets a new id\.$/,
    ),
  ])
  expect((await edit('evt_1', '--dry-run'))[1]).toMatch(/The edited body has 2 bytes,/)
  expect(await edit('evt_1', '--data', '--yes')).toEqual([
    0,
    expect.any(String),
    'evt_COPY  queued, copy of evt_1',
  ])
  await writeFile(file, '{')
  expect((await edit('evt_1', '--data', '--yes'))[1]).toMatch(
    /^webhook-inbox: .*edited\.json is not JSON: \S/,
  )
  expect((await edit('evt_x', '--yes'))[1]).toBe('webhook-inbox: no event evt_x is kept')
  const copy = (await rig.running.list({ root: 'evt_1' })).find(({ parent }) => parent)
  expect(JSON.parse(Buffer.from((await rig.running.inspect(copy?.id ?? ''))?.body ?? []).toString())).toEqual(
    {
      type: 'transfer.failed',
      id: copy?.id,
      environment: 'sandbox',
      createdAt: expect.any(String),
      data: {},
    },
  )
})
