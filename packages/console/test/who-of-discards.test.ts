import { expect, it } from 'vitest'
import type { Receiver, StoredEvent } from 'webhook-inbox'
import { consoleHandler } from '../src/index.js'
import type { Discarded } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openFilledInbox, openInbox } from './rig.js'

const rights = ['events:read', 'events:discard']

/** An inbox in which operator 2 discarded a dead event and a delivery, seen without and with the right. */
async function openDiscarded() {
  const { receiver } = await openFilledInbox()
  const [delivery] = await receiver.quarantined()
  const audit = { reason: 'known to the bank', actor: 'operator 2' }
  const key = delivery?.key ?? ''
  await receiver.discard('evt_dead', audit)
  await receiver.discard(key, audit)
  const open = (given: readonly string[]) =>
    listen(
      consoleHandler(receiver, { authorize: (_, right) => given.includes(right), actor: () => 'operator' }),
    )
  const [url, named] = [await open(rights), await open([...rights, 'audits:read'])]
  return { receiver, audit, url, named, paths: ['events/evt_dead', `quarantine/${encodeURIComponent(key)}`] }
}

it('without the right audits:read a discard says when, and not who', async () => {
  const { url, named, paths } = await openDiscarded()
  for (const path of paths) {
    const { discard, audits } = (await (await fetch(`${url}/api/${path}`)).json()) as Discarded
    expect(discard).toEqual({ at: expect.any(String), undoUntil: expect.any(String) })
    expect(audits).toBeUndefined()
    expect(await (await fetch(`${named}/api/${path}`)).json()).toMatchObject({
      discard: { at: discard.at, actor: 'operator 2' },
      audits: [{ action: 'discard', actor: 'operator 2', reason: 'known to the bank' }],
    })
  }
})

it('an undo of an event restores no delivery that has its id as its key', async () => {
  const { receiver, sendRaw, until } = await openFilledInbox()
  const [delivery] = await receiver.quarantined()
  const key = delivery?.key ?? ''
  await sendRaw(
    JSON.stringify({ id: key, type: 'transfer.failed', created_at: '2026-01-01T00:00:00Z', data: {} }),
  )
  await until(({ dead }) => dead === 2)
  const url = await listen(
    consoleHandler(receiver, { authorize: (_, right) => rights.includes(right), actor: () => 'operator' }),
  )
  const audit = { reason: 'known', actor: 'operator 2' }
  await receiver.discard(key, audit, { kind: 'event' })
  await receiver.discard(key, audit, { kind: 'delivery' })
  const undo = async (kind: 'event' | 'delivery' | 'run') => {
    const [seen] = kind === 'run' ? [] : await receiver.undoable(key, { kind })
    return (await fetch(`${url}/api/undo`, act('a test', {}, { of: key, kind, seen }))).json()
  }
  expect(await undo('run')).toMatchObject({ status: 422 })
  expect(await undo('event')).toEqual({ undone: 1 })
  expect([(await receiver.inspect(key))?.state, await receiver.quarantined()]).toEqual(['dead', []])
  expect(await undo('delivery')).toEqual({ undone: 1 })
  expect(await receiver.quarantined()).toMatchObject([{ key }])
})

it('an undo that restores nothing names who was faster with the right audits:read alone', async () => {
  const { receiver, audit, url, named } = await openDiscarded()
  const [seen] = await receiver.undoable('evt_dead')
  await receiver.undo('evt_dead', audit)
  const undo = async (origin: string) => {
    const response = await fetch(`${origin}/api/undo`, act('x', {}, { of: 'evt_dead', kind: 'event', seen }))
    return (await response.json()) as object
  }
  expect(await undo(named)).toMatchObject({
    // It says once that nothing happened.
    detail: expect.stringMatching(
      /^nothing was restored: operator 2 restored it at (?!.*Nothing was changed)/i,
    ),
  })
  expect(await undo(url)).toMatchObject({
    status: 422,
    detail:
      'Nothing was restored. Nothing is discarded under it, it was restored or delivered again, or its window for undo has ended.',
  })
})

it('a discarded event still has its type, resource and error, behind the mask', async () => {
  const resource = ({ data }: { readonly data: { readonly transferId: string } }) => data.transferId
  const { receiver, send, until } = await openInbox(undefined, {}, { attempts: 1 }, { resource })
  await send('transfer.failed', { transferId: 'tr_1' }, 'evt_dead')
  await until(({ dead }) => dead === 1)
  const { type, lastError } = (await receiver.inspect('evt_dead')) as StoredEvent
  await receiver.discard('evt_dead', { reason: 'a test', actor: 'operator' })
  const wasOf = async (over: object) => {
    const url = await listen(consoleHandler(receiver, { ...all, ...over }))
    return (await json<Discarded>(`${url}/api/events/evt_dead`)).was
  }
  expect(await wasOf({})).toEqual({ type, resource: 'tr_1', lastError })
  const hidden = { type, resource: '•••', lastError: 'handler_failed: Error: •••' }
  expect(await wasOf({ mask: ['data.transferId'] })).toEqual(hidden)
})

it('says who was first where two discard one delivery at the same moment', async () => {
  const { receiver } = await openFilledInbox()
  const [{ key = '' } = {}] = await receiver.quarantined()
  const late: Receiver = {
    ...receiver,
    async discard(...args) {
      await receiver.discard(key, { reason: 'no event', actor: 'operator 2' }, { kind: 'delivery' })
      return receiver.discard(...args)
    },
  }
  const url = await listen(consoleHandler(late, all))
  const path = `${url}/api/quarantine/${encodeURIComponent(key)}/discard`
  const response = await fetch(path, act('no event'))
  const { code, detail } = (await response.json()) as { code: string; detail: string }
  expect([response.status, code]).toEqual([404, 'not_found'])
  expect(detail).toMatch(/by operator 2: no event\. Nothing was changed\.$/)
})
