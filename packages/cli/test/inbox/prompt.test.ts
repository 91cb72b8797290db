import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testSender } from 'webhook-inbox/testing'
import { openRig, type Rig, secret, until } from './rig.js'
import { hasTerminal, typed as typedOn } from './terminal.js'

let rig: Rig
beforeAll(async () => {
  delete process.env.IS_WELL
  rig = await openRig('receiver.ts')
})

/** An event that is to run, and a dead one with an edited copy that is to run. */
async function holdEvents(): Promise<void> {
  const audit = { reason: 'a test', actor: 'grace' }
  const { send } = testSender({ receiver: rig.running, secret })
  await send('transfer.failed', {}, { id: 'evt_copied' })
  await until(async () => (await rig.running.inspect('evt_copied'))?.state === 'dead')
  await rig.running.pause({ type: 'transfer.failed' }, audit)
  await send('transfer.failed', {}, { id: 'evt_held' })
  await rig.running.replayEdited('evt_copied', { data: {} }, audit)
}
afterAll(() => rig?.close())

const typed = (args: readonly string[], keys: string, asked?: () => Promise<unknown>) =>
  typedOn(rig.module, args, keys, asked)

const generation = async (id: string) => (await rig.running.inspect(id))?.generation

describe.skipIf(!hasTerminal)('on a terminal (needs script of util-linux)', () => {
  it.each([
    ['no', 'n\r', 0],
    ['anything that is not yes', 'yess\r', 0],
    ['Enter alone', '\r', 0],
    ['the end of the input (Ctrl-D)', '\u0004', 0],
    ['Ctrl-C', '\u0003', 130],
  ])('replay does nothing at %s', async (_, keys, status) => {
    const { code, screen } = await typed(['replay', '--state', 'dead'], keys)
    expect(screen).toContain('Replay 3 events? [y/N] ')
    expect(screen).toMatch(/\nNothing was done\.\r\n$/)
    expect(code).toBe(status)
    expect(await Promise.all(['evt_1', 'evt_2', 'evt_3'].map(generation))).toEqual([0, 0, 0])
  })

  it('pause asks about a type without an event', async () => {
    const { code, screen } = await typed(['pause', '--type', 'transfer.setled'], 'n\r')
    expect(screen).toContain('No event of the type transfer.setled is kept here. Check the spelling.')
    expect(screen).toContain('Pause it? [y/N] ')
    expect(code).toBe(0)
    expect(await rig.running.paused()).toEqual([])
  })

  it('discard does nothing at Ctrl-C', async () => {
    const { code, screen } = await typed(['discard', 'evt_3'], '\u0003')
    expect(screen).toContain('Delete 1 event or delivery? [y/N] ')
    expect(code).toBe(130)
    expect((await rig.running.inspect('evt_3'))?.state).toBe('dead')
  })

  it('replay shows the events in a table, asks, and replays after yes', async () => {
    const { code, screen } = await typed(['replay', '--state', 'dead', '--type', 'transfer.*'], 'yes\r')
    expect(screen).toMatch(/RECEIVED +STATE +ATTEMPTS +TYPE +EVENT/)
    expect(screen).toContain('evt_1  queued, replay 1')
    expect(code).toBe(0)
    expect(await Promise.all(['evt_1', 'evt_2', 'evt_3'].map(generation))).toEqual([1, 1, 1])
  })

  it('replay asks before a done event runs a second time', async () => {
    const { screen } = await typed(['replay', 'evt_good'], 'y\r')
    expect(screen).toContain('It has run already. Run it a second time? [y/N] ')
    expect(await generation('evt_good')).toBe(1)
  })

  const audit = { reason: 'I was faster', actor: 'grace' }
  it.each([
    {
      verb: 'replay',
      event: 'evt_good',
      other: () => rig.running.replay('evt_good', audit),
      what: 'already replayed by grace at ',
    },
    {
      verb: 'discard',
      event: 'evt_2',
      other: () => rig.running.discard('evt_2', audit),
      what: 'already discarded by grace at ',
    },
  ])('$verb does nothing if another operator was faster', async ({ verb, event, other, what }) => {
    const before = await generation(event)
    const { code, screen } = await typed([verb, event], 'y\r', other)
    expect(screen).toContain(`webhook-inbox: ${event} changed since you looked: ${what}`)
    expect(screen).toContain('; nothing was done')
    expect(screen).not.toContain('--help')
    expect(code).toBe(1)
    expect(await generation(event)).toBe(verb === 'replay' ? Number(before) + 1 : undefined)
  })

  it('undo does nothing if another operator restored it and discarded it again', async () => {
    await rig.running.discard('evt_1', { reason: 'mine', actor: 'ada' })
    const { code, screen } = await typed(['undo', 'evt_1'], 'y\r', async () => {
      await rig.running.undo('evt_1', audit)
      await rig.running.discard('evt_1', audit)
    })
    expect(screen).toContain(
      'webhook-inbox: it was restored and discarded again since you looked: Event evt_1 was discarded by grace at ',
    )
    expect(screen).toContain('; nothing was done')
    expect([code, await rig.running.undo('evt_1', audit)]).toEqual([1, 1])
  })

  it('undo does nothing if another operator changed the run', async () => {
    const plan = await rig.running.plan({ action: 'discard', where: { type: 'transfer.failed' } })
    const run = await rig.running.run(plan, { ...audit, perSecond: 0.001 })
    await until(async () => (await run.progress()).applied === 1)
    const { code, screen } = await typed(['undo', run.id], 'y\r', () => run.pause(audit))
    expect(screen).toMatch(/ is paused now by grace since 2\S+: I was faster; nothing was done/)
    expect([code, (await run.progress()).restored]).toEqual([1, 0])
    await run.cancel(audit)
    expect(await rig.running.undo(run.id, audit)).toBe(1)
  })

  it('replay does nothing if another operator ran an edited copy', async () => {
    const body = (await rig.running.inspect('evt_good'))?.body ?? ''
    const before = await generation('evt_good')
    const { code, screen } = await typed(['replay', 'evt_good'], 'y\r', () =>
      rig.running.replayEdited('evt_good', { body }, audit),
    )
    expect(screen).toContain('webhook-inbox: evt_good changed since you looked: an edited copy of it was run')
    expect([code, await generation('evt_good')]).toEqual([1, before])
  })

  it('discard asks, and deletes after yes', async () => {
    const { code, screen } = await typed(['discard', 'evt_3'], 'y\r')
    expect(screen).toContain('evt_3  discarded')
    expect(code).toBe(0)
    expect(await rig.running.inspect('evt_3')).toBeUndefined()
  })
})

describe.skipIf(!hasTerminal)('replay-edited on a terminal (needs script of util-linux)', () => {
  beforeAll(holdEvents)

  it.each([
    ['evt_good', 'is done', 'The event has run already. Run the copy as well? [y/N] '],
    ['evt_held', 'still runs by itself', 'Give it up first if the copy replaces it. Run both? [y/N] '],
    ['evt_copied', 'has another copy that is to run', 'is accepted. Run this copy too? [y/N] '],
  ])('asks before a copy of %s, which %s', async (event, _, question) => {
    const file = join(rig.folder, 'edited.json')
    await writeFile(file, '{}')
    const before = await rig.running.list()
    const { code, screen } = await typed(['replay-edited', event, file, '--data'], 'n\r')
    expect(screen).toContain(question)
    expect(code).toBe(0)
    expect(await rig.running.list()).toHaveLength(before.length)
  })
})
