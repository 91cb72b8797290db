import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRig, type Rig, until } from './rig.js'

const audit = { reason: 'I was faster', actor: 'grace' }

let rig: Rig
beforeEach(async () => {
  delete process.env.IS_WELL
  rig = await openRig('receiver.ts')
})
afterEach(() => rig?.close())

/** Runs a command, types keys once the question is on the screen, and gives back what a person sees. */
async function typed(args: readonly string[], keys: string, asked?: () => Promise<unknown>) {
  const { code, screen } = await rig.terminal([...args, '--reason', 'r', '--actor', 'ada'], {
    keys,
    ...(asked && { asked }),
  })
  return { code, screen }
}

const generation = async (id: string) => (await rig.running.inspect(id))?.generation

describe('an answer', () => {
  it.each([
    ['n\r', 0],
    ['yess\r', 0],
    ['ay\r', 0],
    ['\r', 0],
    ['\u0004', 0],
    ['\u0003', 130],
  ])('%j is no, and nothing is done', async (keys, status) => {
    const { code, screen } = await typed(['replay', '--state', 'dead'], keys)
    expect(screen).toContain('Replay 3 events? [y/N] ')
    expect(screen.endsWith('Nothing was done.\n')).toBe(true)
    expect(code).toBe(status)
    expect(await Promise.all(['evt_1', 'evt_2', 'evt_3'].map(generation))).toEqual([0, 0, 0])
  })

  it.each(['y\r', 'Y\r', 'yes\r', ' YES \r'])('%j is yes', async (keys) => {
    const { code, screen } = await typed(['replay', '--state', 'dead'], keys)
    expect([code, screen]).toEqual([0, expect.stringContaining('evt_3  queued, replay 1\n')])
    expect(screen).not.toContain('Nothing was done')
    expect(await Promise.all(['evt_1', 'evt_2', 'evt_3'].map(generation))).toEqual([1, 1, 1])
  })

  it('is not asked for with --yes or --dry-run', async () => {
    const dry = await typed(['discard', 'evt_1', '--dry-run'], 'y\r')
    expect([dry.code, dry.screen]).toEqual([0, expect.not.stringContaining('[y/N]')])
    expect((await rig.running.inspect('evt_1'))?.state).toBe('dead')
    const done = await typed(['discard', 'evt_1', '--yes'], 'n\r')
    expect([done.code, done.screen]).toEqual([0, expect.not.stringContaining('[y/N]')])
    expect(await rig.running.inspect('evt_1')).toBeUndefined()
  })

  it('cannot be given without a terminal', async () => {
    const { code, stderr } = await rig.terminal(['discard', 'evt_1', '--reason', 'r'])
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        'webhook-inbox: nothing was done: add --yes to act, or --dry-run to look only\n',
      ),
    ])
  })
})

describe('the question of', () => {
  it.each<[string, string[], string, string]>([
    ['discard', ['discard', 'evt_3'], 'Delete 1 event or delivery?', 'evt_3  discarded\n'],
    [
      'discard of several',
      ['discard', 'evt_2', 'evt_3'],
      'Delete 2 events or deliveries?',
      'evt_2  discarded\n',
    ],
    [
      'replay of a done event',
      ['replay', 'evt_good'],
      'It has run already. Run it a second time?',
      'replay 1\n',
    ],
    [
      'replay of one match',
      ['replay', '--resource', 'tr_evt_2'],
      'Replay 1 event?',
      'evt_2  queued, replay 1\n',
    ],
    ['verify-again', ['verify-again'], 'Check 1 delivery again?', '  stays: invalid_json\n'],
    ['pause', ['pause', '--type', 'transfer.setled'], 'Pause it?', 'type transfer.setled is paused\n'],
  ])('%s', async (_, args, question, result) => {
    const no = await typed(args, 'n\r')
    expect([no.code, no.screen]).toEqual([0, expect.stringContaining(`${question} [y/N] `)])
    expect(no.screen).toMatch(/Nothing was done\.\n$/)
    const yes = await typed(args, 'y\r')
    expect(yes.screen).toContain(`${question} [y/N] `)
    expect(yes.screen).toContain(result)
    expect(yes.code).toBe(args[0] === 'verify-again' ? 1 : 0)
  })

  it('run', async () => {
    const plan = await rig.running.plan({ action: 'discard' })
    const no = await typed(['run', plan.id], 'n\r')
    expect([no.code, no.screen]).toEqual([0, expect.stringContaining(`Run ${plan.id}? [y/N] `)])
    expect(await rig.running.runs()).toEqual([])
    const yes = await typed(['run', plan.id], 'y\r')
    expect([yes.code, yes.screen]).toEqual([
      0,
      expect.stringMatching(/\nrun-\S+ {2}\w+: \d of 3 events applied\n$/),
    ])
  })

  it('undo', async () => {
    await rig.running.discard('evt_1', audit)
    const no = await typed(['undo', 'evt_1'], 'n\r')
    expect([no.code, no.screen]).toEqual([0, expect.stringContaining('Restore evt_1? [y/N] ')])
    expect(no.screen).toMatch(/Nothing was done\.\n$/)
    const yes = await typed(['undo', 'evt_1'], 'y\r')
    expect(yes.screen).toMatch(/^event evt_1 {2}can be restored until 2\S+Z\n/m)
    expect([yes.code, yes.screen]).toEqual([0, expect.stringMatching(/\n1 event or delivery restored\n$/)])
  })
})

describe('while the question is on the screen, another operator was faster:', () => {
  it.each<[string, string[], () => Promise<unknown>, RegExp]>([
    [
      'replayed',
      ['replay', 'evt_good'],
      () => rig.running.replay('evt_good', audit),
      /evt_good changed since you looked: already replayed by grace at 2\S+Z; nothing was done\n$/,
    ],
    [
      'discarded',
      ['discard', 'evt_2'],
      () => rig.running.discard('evt_2', audit),
      /evt_2 changed since you looked: already discarded by grace at 2\S+Z; nothing was done\n$/,
    ],
    [
      'ran an edited copy',
      ['replay', 'evt_good'],
      async () => {
        const { body = '' } = (await rig.running.inspect('evt_good')) ?? {}
        await rig.running.replayEdited('evt_good', { body }, audit)
      },
      /evt_good changed since you looked: an edited copy of it was run; nothing was done\n$/,
    ],
  ])('%s it', async (_, args, other, said) => {
    const { code, screen } = await typed(args, 'y\r', other)
    expect([code, screen]).toEqual([1, expect.stringMatching(said)])
  })

  it('replayed it, and it succeeded in the same generation as seen', async () => {
    await rig.running.pause({}, audit)
    await rig.running.replay('evt_1', audit)
    process.env.IS_WELL = '1'
    const file = join(rig.folder, 'edited.json')
    await writeFile(file, '{}')
    const { code, screen } = await typed(['replay-edited', 'evt_1', file, '--data'], 'y\r', async () => {
      await rig.running.resume({}, audit)
      await until(async () => (await rig.running.inspect('evt_1'))?.state === 'done')
    })
    expect(screen).toContain(
      'The event still runs by itself. Give it up first if the copy replaces it. Run both? [y/N] ',
    )
    expect([code, screen]).toEqual([
      1,
      expect.stringMatching(/evt_1 changed since you looked: it is done now; nothing was done\n$/),
    ])
  })

  it('restored it and discarded it again', async () => {
    await rig.running.discard('evt_1', { reason: 'mine', actor: 'ada' })
    const { code, screen } = await typed(['undo', 'evt_1'], 'y\r', async () => {
      await rig.running.undo('evt_1', audit)
      await rig.running.discard('evt_1', audit)
    })
    expect([code, screen]).toEqual([
      1,
      expect.stringMatching(
        /webhook-inbox: it was restored and discarded again since you looked: Event evt_1 was discarded by grace at .*[^.]; nothing was done\n$/,
      ),
    ])
  })

  it('changed the run', async () => {
    const plan = await rig.running.plan({ action: 'discard', where: { type: 'transfer.failed' } })
    const run = await rig.running.run(plan, { ...audit, perSecond: 0.001 })
    await until(async () => (await run.progress()).applied === 1)
    const { code, screen } = await typed(['undo', run.id], 'y\r', () => run.pause(audit))
    expect(screen).toContain('The run is running. It is cancelled first, so it discards nothing more.\n')
    expect([code, screen]).toEqual([
      1,
      expect.stringMatching(
        /webhook-inbox: run-\S+ is paused now by grace since 2\S+: I was faster; nothing was done\n$/,
      ),
    ])
    expect((await run.progress()).restored).toBe(0)
  })
})

describe('replay-edited asks before a copy of', () => {
  it('a done event, an event that still runs, and an event with another copy', async () => {
    const file = join(rig.folder, 'edited.json')
    await writeFile(file, '{}')
    await rig.running.pause({ type: 'transfer.failed' }, audit)
    await rig.running.replay('evt_1', audit)
    const copy = await rig.running.replayEdited('evt_2', { data: {} }, audit)
    const { body = '' } = (await rig.running.inspect('evt_good')) ?? {}
    const copyOfGood = await rig.running.replayEdited('evt_good', { body }, audit)
    const edit = (id: string) => ['replay-edited', id, file, '--data']
    for (const [args, question] of [
      [edit('evt_1'), 'The event still runs by itself. Give it up first if the copy replaces it. Run both?'],
      [edit('evt_2'), `Take care: its edited copy ${copy} is accepted. Run this copy too?`],
      [edit('evt_3'), 'Run the copy?'],
      [['replay', 'evt_2'], `Take care: its edited copy ${copy} is accepted. Run this one too?`],
      [
        ['replay', 'evt_good'],
        `Take care: its edited copy ${copyOfGood} is done. It has run already. Run it a second time?`,
      ],
      [
        edit('evt_good'),
        `Take care: its edited copy ${copyOfGood} is done. The event has run already. Run the copy as well?`,
      ],
    ] as const) {
      await until(async () => (await rig.running.inspect(copyOfGood))?.state === 'done')
      const { code, screen } = await typed(args, 'n\r')
      expect([code, screen]).toEqual([0, expect.stringContaining(`${question} [y/N] `)])
    }
    await rig.running.resume({ type: 'transfer.failed' }, audit)
  })
})
