import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { EventDetail } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openInbox } from './rig.js'

/** An event that is dead although its handler still hangs. */
async function openHeld() {
  const over = { handlerTimeoutSeconds: 0.2, leaseSeconds: 60 }
  const inbox = await openInbox(undefined, { 'statement.made': () => new Promise(() => {}) }, undefined, over)
  await inbox.send('statement.made', {}, 'evt_hangs')
  await inbox.until(({ dead }) => dead === 1)
  return { inbox, url: `${await listen(consoleHandler(inbox.receiver, all))}/api/events/evt_hangs` }
}

it('says which handler holds a dead event and for how long, and speaks of no other lock', async () => {
  const { inbox, url } = await openHeld()
  const { explanation } = await json<EventDetail>(url)
  expect(explanation).toMatchObject({ reason: 'dead', times: [explanation?.until] })
  expect(explanation?.sentence).toMatch(/^A handler that timed out still holds it\. It can be changed at 2/)
  for (const change of ['replay', 'discard']) {
    const response = await fetch(`${url}/${change}`, act('the bank is back'))
    const { code, detail } = await response.json()
    expect([response.status, code]).toEqual([503, 'busy'])
    expect(detail).toMatch(
      /^A handler that timed out still holds this event, for [1-6]\d s\. Try again after that\. Nothing was changed\.$/,
    )
  }
  expect(await inbox.receiver.audits()).toEqual([])
  expect((await inbox.receiver.explain('evt_hangs')).sentence).toMatch(
    /A handler that timed out still holds it, until 2\S+Z\.$/,
  )
})
