import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { Overview, Statistics } from '../src/wire.js'
import { all } from './every-right.js'
import { listen, openFilledInbox } from './rig.js'

it('the overview has the guarantee, the counts and what arrived', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const overview = (await (await fetch(`${url}/api/overview?hours=24`)).json()) as Overview
  expect(overview).toMatchObject({
    guarantee: receiver.describe(),
    hours: 24,
    statistics: { value: { dead: { count: 1, isCapped: false }, quarantined: { count: 1 } } },
  })
  const { buckets } = (overview.statistics as { value: Statistics }).value
  expect(buckets).toHaveLength(60)
  expect(buckets.reduce((sum, { received }) => sum + received, 0)).toBe(2)
  for (const hours of ['0', '-1', 'x', '1e9']) {
    expect((await fetch(`${url}/api/overview?hours=${hours}`)).status).toBe(422)
  }
})

it('a part of the overview that fails leaves the others', async () => {
  const { receiver } = await openFilledInbox()
  const broken = { ...receiver, statistics: () => Promise.reject(new Error('no such table')) }
  const url = await listen(consoleHandler(broken, all))
  const overview = await (await fetch(`${url}/api/overview`)).json()
  expect(overview).toMatchObject({
    guarantee: receiver.describe(),
    statistics: { problem: 'The log of the program says why.', code: 'internal_error' },
  })
})

it('a part of an event or of a group that fails leaves the others', async () => {
  const { receiver } = await openFilledInbox()
  const [group] = await receiver.failures()
  const fail = () => Promise.reject(new Error('no such table'))
  const broken = { ...receiver, explain: fail, list: fail, audits: fail }
  const url = await listen(consoleHandler(broken, all))
  const event = await (await fetch(`${url}/api/events/evt_dead`)).json()
  expect(event).toMatchObject({ id: 'evt_dead', problems: Array(5).fill('internal_error') })
  const path = `groups/${encodeURIComponent(group?.group ?? '')}`
  expect(await (await fetch(`${url}/api/${path}`)).json()).toMatchObject({
    group: group?.group,
    problems: Array(3).fill('internal_error'),
  })
})
