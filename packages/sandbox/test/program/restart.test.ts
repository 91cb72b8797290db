import { expect, test } from 'vitest'
import { shapeA, startReceiver, startTestSandbox, stateFile } from '../rig.js'

test('with a state file all data is there after a restart, and planned steps happen', async () => {
  const options = { state: stateFile() }
  const receiver = await startReceiver()
  const first = await startTestSandbox(options)
  const subscription = await first.subscribe({ url: receiver.url, events: ['*'] })
  const key = { 'Idempotency-Key': 'k' }
  const made = await first.post('/v1/transfers', shapeA('sim_late'), key)
  await first.advance({ minutes: 5 })
  await first.close()

  const second = await startTestSandbox(options)
  expect((await second.get('/_sandbox/clock')).body.now).toBe('2026-01-01T00:05:00.000Z')
  expect((await second.get(`/webhook-subscriptions/${subscription.id}`)).status).toBe(200)
  const again = await second.post('/v1/transfers', shapeA('sim_late'), key)
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([made.body, 'true'])
  await second.advance({ minutes: 5 })
  await second.idle()
  expect((await second.get(`/v1/transfers/${made.body.id}`)).body.status).toBe('settled')
  expect(receiver.types().sort()).toEqual(['ledger.matched', 'transfer.settled'])
})

test('identifiers never repeat after a restart, although the seed and the clock are the same', async () => {
  const options = { state: stateFile(), seed: 5 }
  const ids: string[] = []
  for (let start = 0; start < 3; start++) {
    const sandbox = await startTestSandbox(options)
    for (let count = 0; count < 3; count++) {
      ids.push((await sandbox.post('/v1/transfers', shapeA())).body.id)
    }
    await sandbox.close()
  }
  expect(new Set(ids).size).toBe(9)
})

test('a file that is no database of this version is rejected', async () => {
  const state = stateFile()
  const { openDatabase } = await import('../../src/database/open.js')
  const database = openDatabase(state)
  database.exec('PRAGMA user_version = 99')
  database.close()
  await expect(startTestSandbox({ state })).rejects.toThrow(
    'state cannot be used: The state file is of a newer version',
  )
})
