import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { PlanView } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openInbox } from './rig.js'

it.each<[one: string | undefined, other: string | undefined, meet: boolean]>([
  ['ada', 'ada', true],
  ['ada', 'ben', false],
  ['ada', undefined, true],
  [undefined, 'ada', true],
  [undefined, undefined, true],
])('a plan over the resource %s and an operation over %s meet: %s', async (one, other, meet) => {
  const resource = ({ data }: { data: { owner: string } }) => data.owner
  const { receiver, send, until } = await openInbox(undefined, {}, { attempts: 1 }, { resource })
  await send('transfer.failed', { owner: 'ada' }, 'evt_ada')
  await send('transfer.failed', { owner: 'ben' }, 'evt_ben')
  await until(({ dead }) => dead === 2)
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const where = other === undefined ? {} : { resource: other }
  const plan = await receiver.plan({ action: 'discard', where })
  const run = await receiver.run(plan, { reason: 'a test', actor: 'Ann', perSecond: 0.001 })
  await run.pause({ reason: 'a test', actor: 'Ann' })
  const { underWay } = await json<PlanView>(
    `${api}/plans`,
    act('', {}, { action: 'replay', where: one === undefined ? {} : { resource: one } }),
  )
  expect(underWay.map(({ id }) => id)).toEqual(meet ? [run.id] : [])
})
