import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deliveryOf, testSender } from 'webhook-inbox/testing'
import { webhookInbox } from '../in-process.js'
import { onEachStore } from './each-store.js'
import { ids, jsonLines, secret, until } from './rig.js'

onEachStore((rig) => {
  it('shows the number of matching events, and replays nothing without --yes and a terminal', async () => {
    const args = ['replay', '--state', 'dead', '--reason', 'fixed']
    const refused = await rig().inbox(args)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('3 events match.')
    expect(refused.stderr).toContain('add --yes')
    expect((await rig().inbox([...args, '--dry-run'])).code).toBe(0)
    expect((await rig().running.health()).counts.dead).toBe(3)
  })

  it('shows one event with --dry-run, and does not run it', async () => {
    const { code, stdout, stderr } = await rig().inbox(['replay', 'evt_1', '--reason', 'look', '--dry-run'])
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain('evt_1 is dead.')
    expect((await rig().running.inspect('evt_1'))?.generation).toBe(0)
  })

  it('says of a replayed event that it was dead and is queued again', async () => {
    const { code, stderr } = await rig().inbox(['replay', 'evt_2', '--reason', 'handler fixed'])
    expect(code).toBe(0)
    expect(stderr).toContain('evt_2 was dead, and is queued again.\n')
    expect(stderr).not.toContain('evt_2 is dead')
    await until(async () => (await rig().running.inspect('evt_2'))?.state === 'dead')
  })

  it.each([
    ['replay', 'evt_good'],
    ['replay', 'evt_good', '--yes'],
    ['replay-edited', 'evt_good', '-', '--yes'],
  ])('does not repeat the effects of a done event unless told that it is done: %s %s %s', async (...args) => {
    const about = ['--reason', 'by mistake', '-r', rig().module]
    const { code, stdout, stderr } = await webhookInbox(['inbox', ...args, ...about], { stdin: '{}' })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('evt_good is done, so its effects would be repeated')
    expect(stderr).toContain('add --state done --yes')
    expect((await rig().running.inspect('evt_good'))?.generation).toBe(0)
    expect(await rig().running.list({ root: 'evt_good' })).toEqual([])
  })

  it.each([
    ['replay', 'evt_good', '--state', 'dead', '--yes'],
    ['replay', 'evt_good', '--state', 'dead', '--dry-run'],
    ['replay-edited', 'evt_good', '-', '--state', 'dead', '--yes'],
  ])('acts only if the event is still in the given state: %s %s %s %s', async (...args) => {
    const about = ['--reason', 'seen as dead', '-r', rig().module]
    const { code, stdout, stderr } = await webhookInbox(['inbox', ...args, ...about], { stdin: '{}' })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('evt_good is done, not dead; nothing was done')
  })

  it('runs a done event again with --state done --yes', async () => {
    const again = ['replay', 'evt_good', '--state', 'done', '--reason', 'the ledger lost it']
    expect((await rig().inbox(again)).stderr).toContain('add --yes')
    const { code, stdout } = await rig().inbox([...again, '--yes'])
    expect([code, jsonLines(stdout)]).toEqual([0, [{ id: 'evt_good', generation: 1 }]])
    await until(async () => (await rig().running.inspect('evt_good'))?.state === 'done')
    const shown = await rig().inbox(['show', 'evt_good'])
    expect(shown.stdout).toMatch(/^replayed {6}2\S+Z by \S.*: the ledger lost it$/m)
    const { replays } = JSON.parse((await rig().inbox(['show', 'evt_good', '--json'])).stdout)
    expect(replays).toMatchObject([{ action: 'replay', reason: 'the ledger lost it' }])
  })

  it('lists what is in quarantine, and discards it by its key', async () => {
    const [delivery] = jsonLines((await rig().inbox(['quarantine'])).stdout)
    expect(delivery).toMatchObject({ code: 'invalid_json', deliveries: 1, bytes: 8 })
    const args = ['discard', delivery.key, '--reason', 'a test']
    expect((await rig().inbox(args)).code).toBe(2)
    const dry = await rig().inbox([...args, '--dry-run'])
    expect(dry).toMatchObject({ code: 0, stdout: '' })
    expect(dry.stderr).toContain(`${delivery.key}  quarantined delivery, invalid_json`)
    expect((await rig().inbox([...args, '--yes'])).code).toBe(0)
    expect((await rig().inbox(['quarantine'])).stdout).toBe('')
  })

  it('discards nothing where one of several cannot be discarded, and says so with --dry-run too', async () => {
    for (const how of ['--yes', '--dry-run']) {
      const args = ['discard', 'evt_3', 'evt_good', 'default/00', '--reason', 'a test', how]
      const { code, stdout, stderr } = await rig().inbox(args)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain('evt_3  dead event, transfer.failed\n')
      expect(stderr).toContain('evt_good  rejected: it is done')
      expect(stderr).toContain('default/00  rejected: no dead event and no quarantined delivery')
      expect(stderr).toMatch(/\nwebhook-inbox: nothing was done: 2 of 3 cannot be discarded\n$/)
    }
    expect((await rig().running.health()).counts.dead).toBe(3)
  })

  it('discards a dead event by its id', async () => {
    const args = ['discard', 'evt_3', '--reason', 'paid by hand', '--yes']
    expect(jsonLines((await rig().inbox(args)).stdout)).toEqual([{ id: 'evt_3', isDiscarded: true }])
    expect(await rig().running.inspect('evt_3')).toBeUndefined()
    const why = await rig().inbox(['explain', 'evt_3'])
    expect([why.code, why.stdout]).toEqual([
      0,
      expect.stringMatching(/discarded by .+ at 2\d.+: paid by hand; undo is possible until 2\d/),
    ])
  })

  it.each([
    ['discard', 'evt_3', '--yes'],
    ['replay', 'evt_3'],
    ['replay-edited', 'evt_3', '-', '--yes'],
  ])('%s says of a discarded event who discarded it', async (...args) => {
    const { code, stdout, stderr } = await webhookInbox(
      ['inbox', ...args, '--reason', 'again', '-r', rig().module],
      { stdin: '{}' },
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/Event evt_3 was discarded by .+: paid by hand; undo is possible until 2/)
    expect(stderr).toMatch(/nothing was done/i)
    expect(stderr).not.toMatch(/--help|invalid_option/)
  })

  it('runs one event again, then all that match', async () => {
    process.env.IS_WELL = '1'
    const { code, stdout } = await rig().inbox(['replay', 'evt_1', '--reason', 'the ledger is fixed'])
    expect(code).toBe(0)
    expect(jsonLines(stdout)).toEqual([{ id: 'evt_1', generation: 1 }])
    await until(async () => (await rig().running.inspect('evt_1'))?.state === 'done')

    const filter = ['--state', 'dead', '--type', 'transfer.*', '--since', '1h']
    const all = await rig().inbox(['replay', ...filter, '--reason', 'fixed', '--yes'])
    expect(ids(all.stdout)).toEqual(['evt_2'])
    await until(async () => (await rig().running.health()).counts.done === 3)
  })

  it('runs a changed copy of an event, from a file or from standard input', async () => {
    const about = ['--reason', 'wrong account', '--actor', 'suite']
    const file = join(rig().folder, 'edited.json')
    await writeFile(file, '{"transferId":"tr_1","amount":12345678901234567890}')
    const rounded = await rig().inbox([
      'replay-edited',
      'evt_1',
      file,
      '--data',
      '--state',
      'done',
      '--yes',
      ...about,
    ])
    expect(rounded).toMatchObject({ code: 2, stdout: '' })
    expect(rounded.stderr).toMatch(
      /^evt_1, transfer\.failed, is done\. The edited body has \d+ bytes, and its copy gets a new id\.$/m,
    )
    expect(rounded.stderr).toContain('JavaScript cannot represent data.amount exactly')

    await writeFile(file, JSON.stringify({ transferId: 'tr_copy' }))
    const { code, stdout } = await rig().inbox([
      'replay-edited',
      'evt_1',
      file,
      '--data',
      '--state',
      'done',
      '--yes',
      ...about,
    ])
    const [copy] = jsonLines(stdout)
    expect([code, copy]).toEqual([0, { id: expect.stringMatching(/^evt_edited_/), parent: 'evt_1' }])
    await until(async () => (await rig().running.inspect(copy.id))?.state === 'done')
    const { parent, body } = (await rig().running.inspect(copy.id)) ?? {}
    const event = JSON.parse(Buffer.from(body ?? []).toString())
    expect([parent, event.data]).toEqual(['evt_1', { transferId: 'tr_copy' }])
    const [audit] = await rig().running.audits({ limit: 1 })
    expect(audit).toMatchObject({ action: 'replayEdited', reason: 'wrong account', actor: 'suite' })

    const args = [
      'inbox',
      'replay-edited',
      'evt_1',
      '-',
      '--state',
      'done',
      '--yes',
      '--json',
      ...about,
      '-r',
      rig().module,
    ]
    const other = await webhookInbox(args, { stdin: JSON.stringify({ ...event, type: 'transfer.returned' }) })
    expect(other.stderr).not.toContain('webhook-inbox: ')
    expect((await rig().running.inspect(JSON.parse(other.stdout).id))?.type).toBe('transfer.returned')
  })

  it('checks quarantined deliveries again, and releases what fits now', async () => {
    const about = ['--reason', 'numbers are rounded now', '--actor', 'suite']
    const sender = testSender({ receiver: rig().running, secret })
    const createdAt = new Date().toISOString()
    const event = {
      id: 'evt_inexact',
      type: 'transfer.returned',
      environment: 'sandbox',
      createdAt,
      data: {},
    }
    const inexact = JSON.stringify(event).replace('{}', '{"amount":12345678901234567890}')
    await sender.deliver(await deliveryOf(inexact, { secret, id: event.id }))
    await sender.deliver(await deliveryOf('neither JSON', { secret }))
    const again = (...args: string[]) => rig().inbox(['verify-again', '--yes', ...about, ...args])
    const [delivery] = jsonLines((await rig().inbox(['quarantine', '--code', 'invalid_data'])).stdout)
    expect(delivery).toMatchObject({ code: 'invalid_data' })
    const kept = await again(delivery.key)
    expect([kept.code, jsonLines(kept.stdout)]).toMatchObject([
      1,
      [{ code: 'invalid_data', isReleased: false }],
    ])

    process.env.ROUNDS_NUMBERS = '1'
    const released = await again()
    delete process.env.ROUNDS_NUMBERS
    expect(released.stderr).toContain('2 deliveries in quarantine match.\n')
    expect([released.code, jsonLines(released.stdout)]).toMatchObject([
      1,
      [
        { id: 'evt_inexact', isReleased: true },
        { code: 'invalid_json', isReleased: false },
      ],
    ])
    await until(async () => (await rig().running.inspect('evt_inexact')) !== undefined)
    expect((await rig().running.quarantined()).map(({ code }) => code)).toEqual(['invalid_json'])
  })
})
