import { afterAll, expect, test } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { newEvent } from './sqlite-rig.js'

afterAll(removeFiles)

const audit = { reason: 'a test', actor: 'suite' }

test.each(['cancelled', 'paused'] as const)(
  'a run that is %s while its jobs are prepared changes nothing',
  async (to) => {
    const store = sqliteStore(newFile())
    const { inbox } = store
    const { bulk } = inbox
    const event = newEvent()
    await inbox.accept(event)
    await inbox.markDead(event.key, 'given up')
    await bulk?.makePlan({ id: 'plan', endpoint: event.endpoint, action: 'replay', where: {} })
    await bulk?.startRun({ id: 'run', plan: 'plan', perSecond: 100, canary: 0 }, audit)
    await bulk?.takeRun(event.endpoint, 'token', 60)
    const options = { most: 10, leaseSeconds: 60, undoSeconds: 60 }
    const step = await bulk?.step('run', 'token', options, async () => {
      expect(await bulk.changeRun('run', to, audit)).toBe(true)
    })
    expect(step).toBeUndefined()
    expect(await inbox.read(event.key)).toMatchObject({ state: 'dead', generation: 0 })
    expect(await bulk?.readRun('run')).toMatchObject({ state: to, applied: 0, remaining: 1 })
    await store.close()
  },
)

test('an event that becomes possible while jobs are prepared waits for the next step, with all after it', async () => {
  const store = sqliteStore(newFile())
  const { inbox } = store
  const bulk = inbox.bulk as NonNullable<typeof inbox.bulk>
  const [due, waiting] = [newEvent(), newEvent()]
  for (const [event, seconds] of [
    [due, 0],
    [waiting, 3600],
  ] as const) {
    await inbox.accept(event)
    await inbox.postpone(event.key, seconds, 'failed')
  }
  await bulk.makePlan({ id: 'plan', endpoint: due.endpoint, action: 'retryNow', where: {} })
  await bulk.startRun({ id: 'run', plan: 'plan', perSecond: 100, canary: 0 }, audit)
  await bulk.takeRun(due.endpoint, 'token', 60)
  const options = { most: 10, leaseSeconds: 60, undoSeconds: 60 }
  const first = await bulk.step('run', 'token', options, () => inbox.postpone(due.key, 3600, 'failed'))
  expect(first?.run).toMatchObject({ applied: 0, remaining: 2, skipped: {} })
  const second = await bulk.step('run', 'token', options, async () => {})
  expect(second?.run).toMatchObject({ applied: 2, remaining: 0, skipped: {} })
  await store.close()
})
