import { afterAll, expect, test, vi } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { newEvent, nothing } from './sqlite-rig.js'

afterAll(removeFiles)

test('a search that read the clock just before another process claimed an event does not find it', async () => {
  const path = newFile()
  const [here, there] = [sqliteStore(path), sqliteStore(path)]
  const event = { ...newEvent(), isKept: true }
  await here.inbox.accept(event, nothing)
  expect(await here.inbox.due(10)).toHaveLength(1)
  await there.once(event, async () => {
    const before = Date.now() - 20
    const clock = vi.spyOn(Date, 'now').mockReturnValue(before)
    try {
      expect(await here.inbox.due(10)).toEqual([])
      expect(await here.inbox.due(10, event.endpoint, { exceptTypes: ['another'] })).toEqual([])
    } finally {
      clock.mockRestore()
    }
  })
  await Promise.all([here.close(), there.close()])
})
