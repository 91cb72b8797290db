import { describe, expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { Discarded, PauseRow, ProblemDocument } from '../src/wire.js'
import { eachStore } from './each-store.js'
import { all } from './every-right.js'
import { act, asShown, json, listen, openFilledInbox } from './rig.js'

const ann = { reason: 'bank is down', actor: 'Ann' }
const cid = { reason: 'a wrong amount', actor: 'Cid' }

describe.each(eachStore())('an act on %s names what the person saw', (_, makeStore) => {
  async function open(more = 0) {
    const { receiver, send: deliver, until } = await openFilledInbox(makeStore)
    for (let at = 0; at < more; at++) {
      await deliver('transfer.failed', {}, `evt_more_${at}`)
    }
    await until(({ dead }) => dead === 1 + more)
    const url = await listen(consoleHandler(receiver, all))
    const send = async (path: string, body: object) => {
      const response = await fetch(`${url}/api/${path}`, act('a test', {}, body))
      return { status: response.status, ...((await response.json()) as Partial<ProblemDocument>) }
    }
    return { receiver, url, send }
  }

  it.each([[{}], [{ type: 'transfer.failed' }], [{ resource: 'tr_1' }]])(
    'a resume ends no pause that somebody began since: %j',
    async (target) => {
      const { receiver, url, send } = await open()
      await receiver.pause(target, ann)
      const [shown] = await json<PauseRow[]>(`${url}/api/flow/pauses`)
      const resume = () => send('flow/resume', { ...target, seen: shown?.at })
      await receiver.resume(target, ann)
      const [ended] = await receiver.audits({ limit: 1 })
      expect(await resume()).toMatchObject({
        status: 409,
        code: 'pause_changed',
        detail: `The pause that was shown has ended. It was resumed at ${ended?.at} by Ann: bank is down. Nothing was changed.`,
      })
      await receiver.pause(target, cid)
      const paused = await receiver.paused()
      expect(await resume()).toMatchObject({
        status: 409,
        code: 'pause_changed',
        detail: `The pause that was shown has ended. It was paused at ${paused[0]?.pausedAt} by Cid: a wrong amount. Nothing was changed.`,
      })
      expect(await receiver.paused()).toEqual(paused)
      expect((await receiver.audits({ limit: 1 }))[0]?.action).toBe('pause')
      expect(await send('flow/resume', { ...target, seen: undefined })).toMatchObject({ status: 422 })
      const [now] = await json<PauseRow[]>(`${url}/api/flow/pauses`)
      expect(await send('flow/resume', { ...target, seen: now?.at })).toEqual({
        status: 200,
        isChanged: true,
      })
    },
  )

  it('the second of two pauses says who made the first', async () => {
    const { receiver, send } = await open()
    await receiver.pause({ type: 'transfer.failed' }, cid)
    const [before] = await receiver.paused()
    expect(await send('flow/pause', { type: 'transfer.failed', seen: undefined })).toMatchObject({
      status: 409,
      code: 'pause_changed',
      detail: `It was not paused when this was shown. It was paused at ${before?.pausedAt} by Cid: a wrong amount. Nothing was changed.`,
    })
    expect(await receiver.paused()).toEqual([before])
  })

  it('a change of an event says what it is now, and who changed it', async () => {
    const { receiver, url, send } = await open()
    const seen = { state: 'dead', generation: 0 }
    await receiver.replay('evt_dead', cid)
    await expect.poll(async () => (await receiver.inspect('evt_dead'))?.state).toBe('dead')
    const [last] = await receiver.audits({ limit: 1 })
    const now = `It is dead now, after a replay. It was replayed at ${last?.at} by Cid: a wrong amount. Nothing was changed.`
    const orCopied = 'Since it was shown, the event changed or an edited copy of it was run.'
    for (const [verb, fact] of [
      ['replay', orCopied],
      ['discard', 'The event changed since it was shown.'],
      ['give-up', 'The event changed since it was shown.'],
    ] as const) {
      expect(await send(`events/evt_dead/${verb}`, { seen })).toMatchObject({
        status: 409,
        code: 'event_changed',
        detail: `${fact} ${now}`,
      })
    }
    const unnamed = await listen(
      consoleHandler(receiver, { ...all, authorize: (_, right) => right !== 'audits:read' }),
    )
    const response = await fetch(`${unnamed}/api/events/evt_dead/discard`, act('a test', {}, { seen }))
    expect(await response.json()).toMatchObject({
      detail:
        'The event changed since it was shown. It is dead now, after a replay. Look at it again. Nothing was changed.',
    })
    const failed = { state: 'failed', generation: 1 }
    expect(await send('events/evt_dead/discard', { seen: failed })).toMatchObject({
      detail: expect.stringContaining('It was failed, and is dead now. '),
    })
    const { body } = (await receiver.inspect('evt_dead')) ?? {}
    const { generation = 0 } = (await receiver.inspect('evt_dead')) ?? {}
    const copy = { seen: { state: 'dead', generation }, body: new TextDecoder().decode(body), copies: [] }
    expect(await send('events/evt_dead/replay-edited', copy)).toMatchObject({ status: 200 })
    expect(await send('events/evt_dead/replay-edited', copy)).toMatchObject({
      detail: expect.stringMatching(
        /It is dead now\. It was run as an edited copy at .+ by operator: a test\./,
      ),
    })
    expect(await json(`${url}/api/events/evt_dead`)).toMatchObject({ generation })
  })

  it('a change of a cause overwrites no newer one', async () => {
    const { receiver, url, send } = await open()
    const group = (await receiver.failures()).find(({ dead }) => dead === 1)?.group ?? ''
    const path = `groups/${encodeURIComponent(group)}`
    const shown = await asShown(`${url}/api/${path}`)
    await receiver.resolveGroup(group, cid)
    const [last] = await receiver.audits({ limit: 1 })
    expect(await send(`${path}/acknowledge`, shown)).toMatchObject({
      status: 409,
      code: 'group_changed',
      detail: `The cause is resolved now, not as it was shown. It was resolved at ${last?.at} by Cid: a wrong amount. Nothing was changed.`,
    })
    // Also if its state is the same again.
    await receiver.reopenGroup(group, ann)
    expect(await send(`${path}/resolve`, shown)).toMatchObject({ status: 409 })
    expect(await send(`${path}/resolve`, { seen: undefined })).toMatchObject({ status: 422 })
    expect(await receiver.failures()).toContainEqual(expect.objectContaining({ group, state: 'open' }))
    expect(await send(`${path}/resolve`, await asShown(`${url}/api/${path}`))).toMatchObject({ status: 200 })
  })

  it('a change of an operation overwrites no newer one', async () => {
    const { receiver, url, send } = await open(3)
    const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...ann, perSecond: 0.001 })
    const path = `runs/${run.id}`
    const begun = await asShown(`${url}/api/${path}`)
    await run.pause(ann)
    const paused = await asShown(`${url}/api/${path}`)
    for (const verb of ['pause', 'cancel']) {
      expect(await send(`${path}/${verb}`, begun)).toMatchObject({ status: 409, code: 'run_changed' })
    }
    await run.resume(cid)
    await run.pause(cid)
    const [last] = await run.acts()
    expect(await send(`${path}/resume`, paused)).toMatchObject({
      status: 409,
      code: 'run_changed',
      detail: `The operation is paused now, not as it was shown. It was paused at ${last?.at} by Cid: a wrong amount. Nothing was changed.`,
    })
    expect(await send(`${path}/resume`, { seen: undefined })).toMatchObject({ status: 422 })
    expect(await run.progress()).toMatchObject({ state: 'paused', changes: 3 })
    const now = await asShown(`${url}/api/${path}`)
    expect(await send(`${path}/resume`, now)).toMatchObject({ status: 200, isChanged: true })
  })

  it('an undo takes back no discard that somebody made since', async () => {
    const { receiver, url, send } = await open()
    const [delivery] = await receiver.quarantined()
    const key = delivery?.key ?? ''
    const named = [
      ['event', 'evt_dead', 'events/evt_dead'],
      ['delivery', key, `quarantine/${encodeURIComponent(key)}`],
    ] as const
    for (const [kind, of, path] of named) {
      await receiver.discard(of, ann)
      const { discard: shown } = await json<Discarded>(`${url}/api/${path}`)
      const undo = (seen: unknown) => send('undo', { of, kind, seen })
      await receiver.undo(of, cid)
      expect(await undo(shown)).toMatchObject({ status: 422 })
      // Two discards at the same millisecond cannot be told apart.
      await new Promise((resolve) => setTimeout(resolve, 5))
      await receiver.discard(of, cid)
      const { discard: now } = await json<Discarded>(`${url}/api/${path}`)
      expect(await undo(shown)).toMatchObject({
        status: 409,
        code: 'discard_changed',
        detail: `The discard that was shown has ended. It was discarded again at ${now.at} by Cid: a wrong amount. Nothing was changed.`,
      })
      for (const seen of [undefined, {}, { undoUntil: 1 }]) {
        expect(await undo(seen)).toMatchObject({ status: 422 })
      }
      expect(await undo(now)).toEqual({ status: 200, undone: 1 })
    }
  })

  it('an undo of an operation takes back nothing that it discarded since', async () => {
    const { receiver, url, send } = await open(3)
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), { ...ann, perSecond: 0.001 })
    await expect.poll(async () => (await run.progress()).applied).toBe(1)
    const begun = await asShown(`${url}/api/runs/${run.id}`)
    await run.pause(cid)
    const [last] = await run.acts()
    expect(await send('undo', { of: run.id, ...begun })).toMatchObject({
      status: 409,
      code: 'run_changed',
      detail: `The operation is paused now, not as it was shown. It was paused at ${last?.at} by Cid: a wrong amount. Nothing was changed.`,
    })
    expect((await run.progress()).restored).toBe(0)
    expect(await send('undo', { of: run.id, seen: undefined })).toMatchObject({ status: 422 })
    const now = await asShown(`${url}/api/runs/${run.id}`)
    expect(await send('undo', { of: run.id, ...now })).toEqual({ status: 200, undone: 1 })
  })

  it('an undo of an operation that goes on leaves nothing discarded', async () => {
    const { receiver, url, send } = await open(40)
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), { ...ann, perSecond: 30 })
    await expect.poll(async () => (await run.progress()).applied).toBeGreaterThan(0)
    const shown = await asShown(`${url}/api/runs/${run.id}`)
    expect(shown.seen).toMatchObject({ state: 'running' })
    expect(await send('undo', { of: run.id, ...shown })).toMatchObject({ status: 200 })
    const { state, applied, restored, remaining } = await run.progress()
    expect([state, restored, remaining]).toEqual(['cancelled', applied, 41 - applied])
    expect((await receiver.health()).counts.dead).toBe(41)
  })

  it('gives no name to a person who may not read the audits', async () => {
    const { receiver } = await open()
    const url = await listen(
      consoleHandler(receiver, { ...all, authorize: (_, asked) => asked !== 'audits:read' }),
    )
    await receiver.pause({}, cid)
    const response = await fetch(`${url}/api/flow/pause`, act('a test', {}, { seen: undefined }))
    expect(response.status).toBe(409)
    expect(await response.text()).not.toContain('Cid')
    const group = (await receiver.failures()).find(({ dead }) => dead === 1)?.group ?? ''
    const path = `${url}/api/groups/${encodeURIComponent(group)}`
    const shown = await asShown(path)
    await receiver.resolveGroup(group, cid)
    expect(await (await fetch(`${path}/acknowledge`, act('a test', {}, shown))).text()).not.toContain('Cid')
    await receiver.discard('evt_dead', cid)
    const seen = { undoUntil: '2026-01-01T00:00:00Z' }
    const undo = act('a test', {}, { of: 'evt_dead', kind: 'event', seen })
    expect(await json(`${url}/api/undo`, undo)).toMatchObject({
      code: 'discard_changed',
      detail: 'The discard that was shown has ended. It was discarded again. Nothing was changed.',
    })
  })
})
