import { expect, it } from 'vitest'
import type { Store } from 'webhook-inbox'
import { consoleHandler } from '../src/index.js'
import type { Me } from '../src/wire.js'
import { all } from './every-right.js'
import { json, lesserStore, listen, type MakeStore, openInbox, sqlite } from './rig.js'

const every = ['audits', 'bulk', 'failures', 'flow', 'statistics']

async function featuresOf(makeStore: MakeStore): Promise<readonly string[]> {
  const { receiver } = await openInbox(makeStore)
  const url = await listen(consoleHandler(receiver, all))
  return (await json<Me>(`${url}/api/me`)).features
}

it('names the parts that the store has', async () => {
  expect(await featuresOf(sqlite)).toEqual(every)
  expect(await featuresOf(lesserStore)).toEqual([])
  const onlyBulk = async () => {
    const store = await lesserStore()
    return { ...store, inbox: { ...store.inbox, bulk: (await sqlite()).inbox?.bulk } } as Store<never>
  }
  expect(await featuresOf(onlyBulk)).toEqual(['bulk'])
})

it('takes every part for there while the store cannot be asked', async () => {
  const store = await sqlite()
  const { receiver } = await openInbox(async () => store)
  await receiver.stop()
  await store.close?.()
  const url = await listen(consoleHandler(receiver, all))
  expect((await json<Me>(`${url}/api/me`)).features).toEqual(every)
})
