import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { createReceiver, type Store } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { testSecret, testSender } from 'webhook-inbox/testing'
import { resolveGroup } from '../../src/inbox/resolve-id.js'

const folder = mkdtempSync(join(import.meta.dirname, 'groups-'))
afterAll(() => rmSync(folder, { recursive: true }))

// A group that fails again moves to the front of the list.
test('finds a group that fails again while the groups are read', async () => {
  const store = sqliteStore(join(folder, 'inbox.sqlite'))
  const receiver = createReceiver({
    secret: testSecret,
    store: store as Store<unknown>,
    queue: localQueue(),
    fallback() {},
    logger: false,
  })
  const sender = testSender({ receiver })
  const fail = async (cause: number) => {
    const { eventId = '' } = await sender.send('transfer.settled')
    const { key = '' } = (await receiver.inspect(eventId)) ?? {}
    await store.inbox.markDead(key, `the ${word(cause)} rail is down`)
  }
  for (let cause = 0; cause < 120; cause++) {
    await fail(cause)
  }
  const { failures } = receiver
  const groups = await failures({ limit: 1000 })
  expect(groups).toHaveLength(120)
  const group = groups.at(-1)?.group as string
  let isFirst = true
  receiver.failures = async (query) => {
    const found = await failures(query)
    if (isFirst) {
      isFirst = false
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
      await fail(0)
      vi.useRealTimers()
    }
    return found
  }
  expect(await resolveGroup(receiver, group)).toBe(group)
  await store.close()
})

/** A word without digits, because a number is no part of a cause. */
const word = (cause: number) =>
  `${'abcdefghij'[cause % 10]}${'klmnopqrst'[Math.floor(cause / 10) % 10]}${cause > 99 ? 'x' : ''}`
