import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testSender } from 'webhook-inbox/testing'
import { ids, jsonLines, openRig, type Rig, secret, until } from './rig.js'

const why = ['--reason', 'wrong account']
let rig: Rig
let copy: string

const generationOf = async (id: string) => (await rig.running.inspect(id))?.generation

beforeAll(async () => {
  delete process.env.IS_WELL
  rig = await openRig('receiver.ts')
  process.env.IS_WELL = '1'
  const file = join(rig.folder, 'edited.json')
  await writeFile(file, '{}')
  const { stdout } = await rig.inbox(['replay-edited', 'evt_1', file, '--data', '--yes', ...why])
  copy = jsonLines(stdout)[0].id
  await until(async () => (await rig.running.inspect(copy))?.state === 'done')
})
afterAll(() => rig?.close())

it('lists an event and the edited copies of it', async () => {
  const { code, stdout } = await rig.inbox(['list', '--root', 'evt_1'])
  expect([code, ids(stdout)]).toEqual([0, ['evt_1', copy]])
  expect(ids((await rig.inbox(['dead', '--root', 'evt_1'])).stdout)).toEqual(['evt_1'])
  expect(ids((await rig.inbox(['list', '--root', copy])).stdout)).toEqual([])
})

it('explains an event and its edited copy by each other', async () => {
  const [parent, child] = [await rig.inbox(['explain', 'evt_1']), await rig.inbox(['explain', copy])]
  expect(parent.stdout).toMatch(new RegExp(`Event evt_1 is dead.* Its edited copy ${copy} is done\\.\n$`))
  expect(child.stdout).toContain('It is an edited copy of event evt_1.')
})

it('leaves an event out of many if its edited copy is done', async () => {
  const { code, stdout, stderr } = await rig.inbox(['replay', '--state', 'dead', '--yes', ...why])
  expect(stderr).toContain(`evt_1 is left out: its edited copy ${copy} is done`)
  expect([code, ids(stdout).sort(), await generationOf('evt_1')]).toEqual([0, ['evt_2', 'evt_3'], 0])
})

it.each([
  ['without an answer', []],
  ['with --yes', ['--yes']],
  ['with --yes and its state', ['--yes', '--state', 'dead']],
])('does not run an event whose edited copy is done %s', async (_, flags) => {
  const { code, stderr } = await rig.inbox(['replay', 'evt_1', ...flags, ...why])
  expect(stderr).toContain(`evt_1 was not run: its edited copy ${copy} is done, so both would run`)
  expect(stderr).toContain('--run-both --yes')
  expect([code, await generationOf('evt_1')]).toEqual([1, 0])
})

it('makes no second copy of it either', async () => {
  const events = async () => (await rig.running.list()).map(({ id }) => id)
  const before = await events()
  const edit = ['replay-edited', 'evt_1', join(rig.folder, 'edited.json'), '--data', '--yes', ...why]
  const { code, stderr } = await rig.inbox(edit)
  expect(stderr).toContain(`its edited copy ${copy} is done, so both would run`)
  expect([code, await events()]).toEqual([1, before])
})

it('names the edited copy with --dry-run', async () => {
  const edit = ['replay-edited', 'evt_1', join(rig.folder, 'edited.json'), '--data']
  for (const act of [['replay', 'evt_1'], edit]) {
    const { code, stderr } = await rig.inbox([...act, '--dry-run', ...why])
    expect(stderr).toContain(`evt_1: its edited copy ${copy} is done`)
    expect(code).toBe(0)
  }
})

it('takes --run-both for one event only', async () => {
  const { code, stderr } = await rig.inbox(['replay', '--state', 'dead', '--run-both', '--yes', ...why])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--run-both is for one event')])
})

it('runs an event whose edited copy is done with --run-both', async () => {
  const { code, stderr } = await rig.inbox(['replay', 'evt_1', '--run-both', '--yes', ...why])
  expect(stderr).toContain(`evt_1: its edited copy ${copy} is done`)
  expect([code, await generationOf('evt_1')]).toEqual([0, 1])
})

it('takes neither a dead version nor the event itself for another version', async () => {
  const isIn = (id: string, state: string) =>
    until(async () => (await rig.running.inspect(id))?.state === state)
  await isIn('evt_1', 'done')
  delete process.env.IS_WELL
  await testSender({ receiver: rig.running, secret }).send('transfer.failed', {}, { id: 'evt_4' })
  await isIn('evt_4', 'dead')
  const edit = ['replay-edited', 'evt_4', join(rig.folder, 'edited.json'), '--data', '--yes', ...why]
  const second = jsonLines((await rig.inbox(edit)).stdout)[0].id
  await isIn(second, 'dead')
  process.env.IS_WELL = '1'
  expect((await rig.inbox(['replay', second, ...why])).code).toBe(0)
  await isIn(second, 'done')
  const { stderr } = await rig.inbox(['replay', '--state', 'done', '--dry-run', ...why])
  expect(stderr).toContain(`${copy} is left out: its original evt_1 is done`)
  expect(stderr).not.toContain(`${second} is left out`)
})
