import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { Discarded } from '../src/wire.js'
import { act, listen, openFilledInbox } from './rig.js'

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
