import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { EventDetail } from '../src/wire.js'
import { listen, openInbox } from './rig.js'

it('an event tells an unchanged shape from a missing success of its type', async () => {
  const { receiver, send, until } = await openInbox(
    undefined,
    {
      async 'transfer.settled'({ data: { isBad } }: never) {
        if (isBad) {
          throw new Error('it is bad')
        }
      },
    },
    { attempts: 1 },
  )
  await send('transfer.settled', { isBad: false }, 'evt_good')
  await send('transfer.settled', { isBad: true }, 'evt_bad')
  await send('transfer.failed', {}, 'evt_never')
  await until(({ done, dead }) => done === 1 && dead === 2)
  const url = await listen(consoleHandler(receiver, { authorize: () => true, readOnly: true }))
  const read = async (id: string) => (await (await fetch(`${url}/api/events/${id}`)).json()) as EventDetail
  const { doneAt } = await read('evt_good')
  expect(await read('evt_bad')).toMatchObject({ shapeChanges: [], lastSuccessAt: doneAt })
  const never = await read('evt_never')
  expect([never.state, never.shapeChanges, never.lastSuccessAt]).toEqual(['dead', undefined, undefined])
})

it('the last success is the one that ended last, also that of an older event, and the changes are since then', async () => {
  let isAway = true
  const { receiver, send, until } = await openInbox(undefined, {
    async 'transfer.settled'({ data: { isOld, isBad } }: never) {
      if (isBad || (isOld && isAway)) {
        throw new Error('the bank is away')
      }
    },
  })
  await send('transfer.settled', { isOld: true }, 'evt_old')
  await send('transfer.settled', { isNew: true }, 'evt_new')
  await send('transfer.settled', { isBad: true }, 'evt_bad')
  await until(({ done, dead }) => done === 1 && dead === 2)
  isAway = false
  await receiver.replay('evt_old', { reason: 'the bank is back', actor: 'operator' })
  await until(({ done }) => done === 2)
  const url = await listen(consoleHandler(receiver, { authorize: () => true, readOnly: true }))
  const seen = (await (await fetch(`${url}/api/events/evt_bad`)).json()) as EventDetail
  expect([seen.lastSuccessAt, seen.lastSuccess]).toEqual([
    (await receiver.inspect('evt_old'))?.doneAt,
    'evt_old',
  ])
  expect(seen.shapeChanges?.map(({ change, path }) => `${change} ${path}`)).toEqual([
    'missing data.isOld',
    'added data.isBad',
  ])
})
