import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { PlanView, RunDetail, RunView } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, jsonUntil, listen, openInbox } from './rig.js'

const audit = { reason: 'a test', actor: 'Ann' }

/** Dead events, whose handler works again after `fix`. */
async function openDead(count: number, over: object = {}) {
  let isBroken = true
  const handlers = {
    async 'ledger.noted'({ data }: { data: { name: string } }) {
      if (isBroken) {
        throw new Error(`no customer ${data.name}`)
      }
    },
  }
  const inbox = await openInbox(undefined, handlers as never)
  for (let at = 0; at < count; at++) {
    await inbox.send('ledger.noted', { name: 'Ada Lovelace' }, `evt_${at}`)
  }
  await inbox.until(({ dead }) => dead === count)
  const fix = () => {
    isBroken = false
  }
  return { ...inbox, fix, api: `${await listen(consoleHandler(inbox.receiver, { ...all, ...over }))}/api` }
}

const replay = async (api: string, options: object) => {
  const plan = await json<PlanView>(`${api}/plans`, act('', {}, { action: 'replay' }))
  return json<RunView>(`${api}/plans/${plan.id}/run`, act('again', {}, options))
}

it('an operation whose canary failed says which of its events failed, and why', async () => {
  const { api } = await openDead(4)
  const { id } = await replay(api, { canary: 2, perSecond: 1000 })
  const stopped = await jsonUntil<RunDetail>(`${api}/runs/${id}`, ({ state }) => state === 'stopped')
  expect(stopped).toMatchObject({
    canary: 2,
    applied: 2,
    remaining: 2,
    note: expect.any(String),
    canaryFailed: ['evt_0', 'evt_1'],
    canaryError: 'handler_failed: Error: no customer Ada Lovelace',
  })
  expect(stopped).not.toHaveProperty('canaryWait')
})

it('the error of a canary is shown without its masked values, and only while the operation is stopped', async () => {
  const { api, receiver } = await openDead(4, { mask: ['data.name'] })
  const { id } = await replay(api, { canary: 1, perSecond: 1000 })
  const path = `${api}/runs/${id}`
  const stopped = await jsonUntil<RunDetail>(path, ({ state }) => state === 'stopped')
  expect(stopped.canaryError).toBe('handler_failed: Error: no customer •••')
  await (await receiver.findRun(id))?.cancel(audit)
  const cancelled = await json<RunDetail>(path)
  expect(cancelled).toMatchObject({ state: 'cancelled', canaryFailed: ['evt_0'] })
  expect(cancelled).not.toHaveProperty('canaryError')
})

it('an operation whose canary succeeded, or that has none, names no event', async () => {
  const { api, fix, until } = await openDead(3)
  const failing = await replay(api, { canary: 0, perSecond: 1000 })
  const without = await jsonUntil<RunDetail>(`${api}/runs/${failing.id}`, ({ state }) => state === 'done')
  await until(({ dead }) => dead === 3)
  fix()
  const { id } = await replay(api, { canary: 1, perSecond: 1000 })
  const done = await jsonUntil<RunDetail>(`${api}/runs/${id}`, ({ state }) => state === 'done')
  for (const run of [without, done]) {
    expect(run.isPastCanary).toBe(true)
    for (const name of ['canaryFailed', 'canaryError', 'canaryWait', 'note']) {
      expect(run).not.toHaveProperty(name)
    }
  }
})

it('an operation that waits for its canary says for which events, and why they do not run', async () => {
  const { api, receiver } = await openDead(6)
  await receiver.pause({}, { reason: 'too fast', actor: 'Bob' })
  const { id } = await replay(api, { canary: 5, perSecond: 1000 })
  const path = `${api}/runs/${id}`
  const waiting = await jsonUntil<RunDetail>(path, ({ canaryWait }) => canaryWait?.count === 5)
  expect(waiting).toMatchObject({ state: 'canary', applied: 5, remaining: 1 })
  expect(waiting.canaryWait?.events.map(({ eventId, reason }) => [eventId, reason])).toEqual([
    ['evt_0', 'paused'],
    ['evt_1', 'paused'],
    ['evt_2', 'paused'],
  ])
  expect(waiting.canaryWait?.events[0]?.sentence).toContain('Bob paused the endpoint payments')
  // What another operator has ended is not waited for.
  const plan = await receiver.plan({ action: 'giveUp', where: { id: 'evt_0' } })
  await (await receiver.run(plan, audit)).finished()
  const fewer = await json<RunDetail>(path)
  expect(fewer.canaryWait).toMatchObject({ count: 4, events: [{ eventId: 'evt_1' }, {}, {}] })
})

it('an operation without a canary waits for none of its events', async () => {
  const { api, receiver } = await openDead(2)
  await receiver.pause({}, audit)
  const { id } = await replay(api, { canary: 0, perSecond: 1000 })
  const done = await jsonUntil<RunDetail>(`${api}/runs/${id}`, ({ state }) => state === 'done')
  expect(done).not.toHaveProperty('canaryWait')
  expect(done).toMatchObject({ waiting: 2, failedAgain: 0 })
})
