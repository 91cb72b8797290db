import { expect, it } from 'vitest'
import { UnderWay } from '../../src/timing/under-way.js'

/** Who has been told that nothing is under way. */
async function told(underWay: UnderWay, ...names: string[]): Promise<() => Promise<string[]>> {
  const heard: string[] = []
  for (const name of names) void underWay.none().then(() => heard.push(name))
  return async () => {
    await new Promise(setImmediate)
    return heard
  }
}

it('tells at once where nothing is under way', async () => {
  expect(await (await told(new UnderWay(), 'a'))()).toEqual(['a'])
})

it('tells everybody when the last work has ended', async () => {
  const underWay = new UnderWay()
  underWay.begin()
  underWay.begin()
  const heard = await told(underWay, 'a', 'b')
  underWay.end()
  expect(await heard()).toEqual([])
  underWay.begin()
  underWay.end()
  expect(await heard()).toEqual([])
  underWay.end()
  expect(await heard()).toEqual(['a', 'b'])
  underWay.begin()
  const again = await told(underWay, 'c')
  expect(await again()).toEqual([])
  underWay.end()
  expect(await again()).toEqual(['c'])
})
