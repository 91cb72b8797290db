import { expect, test } from 'vitest'
import { inHand, newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

test('a claim names the time at which its handler started, by the clock of the server', async () => {
  const [here, there] = [rig.store(), rig.store()]
  const now = async () =>
    (await rig.sql('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at'))[0]?.at
  const event = newEvent()
  await here.inbox.accept(event)
  const before = await now()
  const end = await inHand(there, event)
  const after = await now()
  const claim = await here.inbox.flow?.claimOf(event.key)
  expect(claim).toEqual({ state: 'running', since: expect.any(String) })
  const since = Date.parse((claim as { since: string }).since)
  // A time has milliseconds here.
  expect([since >= Number(before) - 1, since <= Number(after)]).toEqual([true, true])
  await end()
  expect(await here.inbox.flow?.claimOf(event.key)).toEqual({ state: 'free' })
})
