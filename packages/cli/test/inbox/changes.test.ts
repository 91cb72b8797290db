import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deliveryOf, testSender } from 'webhook-inbox/testing'
import { webhookInbox } from '../in-process.js'
import { audit, because, rig, shown, useOwnRig } from './own-rig.js'
import { jsonLines, programs, secret, steady, until } from './rig.js'

useOwnRig()

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
