import { expect, it } from 'vitest'
import type { Receiver } from 'webhook-inbox'
import { consoleHandler } from '../src/index.js'
import type { PlanView, ProblemDocument, RunDetail, RunView } from '../src/wire.js'
import { all } from './every-right.js'
import { act, asShown, type Inbox, json, jsonUntil, listen, openInbox } from './rig.js'

const audit = { reason: 'a test', actor: 'Anna' }

async function openDead(): Promise<Inbox & { readonly url: string }> {
  const inbox = await openInbox()
  for (let at = 0; at < 4; at++) {
    await inbox.send('transfer.failed', {}, `evt_${at}`)
  }
  await inbox.until(({ dead }) => dead === 4)
  return { ...inbox, url: await listen(consoleHandler(inbox.receiver, all)) }
}

const preview = (url: string, action = 'discard') =>
  json<PlanView>(`${url}/api/plans`, act('', {}, { action }))

const idsOf = ({ underWay = [] }: { readonly underWay?: readonly RunView[] }) => underWay.map(({ id }) => id)

/** Sends a change with the operations that were shown. */
const send = (url: string, path: string, shown?: readonly string[], over: object = {}) =>
  fetch(`${url}/api/${path}`, act('a test', {}, { canary: 0, underWay: shown, ...over }))

async function begin(receiver: Receiver, over: { perSecond?: number; canary?: number } = {}) {
  return receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, perSecond: 0.001, ...over })
}

it('asks again before a run if another operation began after the preview', async () => {
  const { receiver, url } = await openDead()
  const before = await begin(receiver)
  const plan = await preview(url)
  expect(idsOf(plan)).toEqual([before.id])
  const after = await begin(receiver)
  const refused = await send(url, `plans/${plan.id}/run`, idsOf(plan))
  expect(refused.status).toBe(409)
  const said = (await refused.json()) as ProblemDocument
  expect(said).toMatchObject({ code: 'under_way', underWay: [{ id: after.id, actor: 'Anna' }, {}] })
  expect(said.detail).toContain(`: ${after.id} (replay, `)
  expect((await receiver.runs()).length).toBe(2)
  // An operation that ended is no reason to ask.
  await before.cancel(audit)
  expect((await send(url, `plans/${plan.id}/run`, idsOf(said))).status).toBe(200)
})

it('asks no caller that sends no ids, and names no person to one without the right', async () => {
  const { receiver, url } = await openDead()
  const [plan, another] = [await preview(url), await preview(url)]
  await begin(receiver)
  const as = (...rights: readonly string[]) =>
    listen(consoleHandler(receiver, { ...all, authorize: (_, action) => rights.includes(action) }))
  const nameless = await send(await as('events:discard', 'events:read'), `plans/${plan.id}/run`, [])
  expect(nameless.status).toBe(409)
  expect(await nameless.text()).not.toContain('Anna')
  expect((await send(url, `plans/${plan.id}/run`, 'none' as never)).status).toBe(422)
  expect((await send(await as('events:discard'), `plans/${plan.id}/run`, [])).status).toBe(200)
  expect((await send(url, `plans/${another.id}/run`)).status).toBe(200)
})

it('warns of an operation that its canary stopped, for as long as it can be continued', async () => {
  const { receiver, url, send: deliver, until } = await openDead()
  const stopped = await begin(receiver, { canary: 1, perSecond: 1000 })
  await jsonUntil<RunDetail>(`${url}/api/runs/${stopped.id}`, ({ state }) => state === 'stopped')
  expect((await preview(url)).underWay).toMatchObject([{ id: stopped.id, state: 'stopped', remaining: 3 }])
  // What arrived after it is not part of it.
  const { createdAt } = await stopped.progress()
  await deliver('account.closed', {}, 'evt_late')
  await until(({ dead }) => dead === 5)
  const since = createdAt
  const late = act('', {}, { action: 'discard', where: { since } })
  expect(await json(`${url}/api/plans`, late)).toMatchObject({ count: 1, underWay: [] })
  await stopped.cancel(audit)
  expect(idsOf(await preview(url))).toEqual([])
})

it.each(['paused', 'stopped'] as const)('asks again before a %s operation goes on', async (state) => {
  const { receiver, url } = await openDead()
  const run = await begin(receiver, state === 'stopped' ? { canary: 1, perSecond: 1000 } : {})
  if (state === 'paused') {
    await run.pause(audit)
  }
  const path = `${url}/api/runs/${run.id}`
  const shown = await jsonUntil<RunDetail>(path, (each) => each.state === state)
  expect(shown.underWay).toEqual([])
  const other = await begin(receiver)
  const resume = async (ids: readonly string[]) =>
    send(url, `runs/${run.id}/resume`, ids, await asShown(path))
  const refused = await resume(idsOf(shown))
  expect([refused.status, await refused.json()]).toMatchObject([409, { underWay: [{ id: other.id }] }])
  const again = await json<RunDetail>(path)
  expect([again.state, idsOf(again)]).toEqual([state, [other.id]])
  expect(await (await resume(idsOf(again))).json()).toEqual({ isChanged: true })
  expect(await json(path)).not.toHaveProperty('underWay')
})
