import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ids, jsonLines, openRig, type Rig, until } from './rig.js'

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

it('leaves an event out of many if its edited copy is done', async () => {
  const { code, stdout, stderr } = await rig.inbox(['replay', '--state', 'dead', '--yes', ...why])
  expect(stderr).toContain(`evt_1 is left out: its edited copy ${copy} is done`)
  expect([code, ids(stdout).sort(), await generationOf('evt_1')]).toEqual([0, ['evt_2', 'evt_3'], 0])
})

it('asks before it runs an event whose edited copy is done', async () => {
  const unconfirmed = await rig.inbox(['replay', 'evt_1', ...why])
  expect([unconfirmed.code, await generationOf('evt_1')]).toEqual([2, 0])
  expect(unconfirmed.stderr).toContain('add --yes')
  expect((await rig.inbox(['replay', 'evt_1', '--yes', ...why])).code).toBe(0)
  expect(await generationOf('evt_1')).toBe(1)
})
