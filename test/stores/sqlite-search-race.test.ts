import { afterAll, expect, test, vi } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { newEvent, nothing, observed, open } from './sqlite-rig.js'

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

test('a search by type does not return an event that another process claims between its statements', async () => {
  const path = newFile()
  const other = open(path)
  const claims = { isOn: false }
  const here = sqliteStore(
    observed(
      open(path),
      () => {},
      (sql) => {
        if (claims.isOn && sql.includes('WHERE seq IN (SELECT value FROM json_each(?))')) {
          claims.isOn = false
          const claim =
            'UPDATE webhook_inbox_events SET attempt = attempt + 1, lease_until = ?, lease_span = 60000'
          other.prepare(claim).run(Date.now() + 60_000)
        }
      },
    ),
  )
  await here.inbox.accept(newEvent(), nothing)
  const search = () => here.inbox.due(10, 'default', { exceptTypes: ['another'] })
  expect(await search()).toHaveLength(1)
  claims.isOn = true
  expect(await search()).toEqual([])
  expect(claims.isOn).toBe(false)
  await here.close()
  other.close()
})

test('an event that was read while another process ran it does not run before its pause if that run failed', async () => {
  const path = newFile()
  const [here, there] = [sqliteStore(path), sqliteStore(path)]
  const event = { ...newEvent(), isKept: true }
  await here.inbox.accept(event, nothing)
  const read = async () => {
    const seen = await here.inbox.read(event.key)
    return seen ?? expect.fail('the event is not kept')
  }
  let seen: Awaited<ReturnType<typeof read>> | undefined
  const failed = there.once(event, async () => {
    seen = await read()
    throw new Error('no such account')
  })
  await expect(failed).rejects.toThrow('no such account')
  const mustNotRun = () => expect.fail('the event ran before its pause')
  expect(await here.once({ ...event, seen }, mustNotRun)).toMatchObject({ state: 'busy' })
  await there.inbox.postpone(event.key, 60, 'no such account')
  expect(await here.once({ ...event, seen }, mustNotRun)).toMatchObject({ state: 'busy' })
  // Whoever reads it now knows that it waits, and decides.
  expect(await here.once({ ...event, seen: await read() }, nothing)).toMatchObject({ state: 'done' })
  await Promise.all([here.close(), there.close()])
})
