import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

describe('a person with fewer rights', () => {
  it('gets no button for what is rejected, and no words about it', async () => {
    const authorize = (_: IncomingMessage, action: string) => action === 'events:read'
    const page = await openConsole(await mount(await openFilledInbox(), { authorize }), {
      hash: '#/events/evt_dead',
    })
    await page.getByText('view only', { exact: true }).waitFor()
    await page.getByText('The body needs the right bodies:read.').waitFor()
    expect(await page.getByRole('button', { name: 'Replay…' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Audits' }).count()).toBe(0)
    expect(await page.getByText('ermitted').count()).toBe(0)
  })

  it('who may do something gets that alone', async () => {
    const authorize = (_: IncomingMessage, action: string) =>
      action === 'events:read' || action === 'events:replay'
    const page = await openConsole(await mount(await openFilledInbox(), { authorize }), {
      hash: '#/events/evt_dead',
    })
    await page.getByRole('button', { name: 'Replay…' }).waitFor()
    expect(await page.getByRole('button', { name: 'Discard…' }).count()).toBe(0)
    expect(await page.getByText(/view only|ermitted/).count()).toBe(0)
  })

  it('is told that names and reasons need the right audits:read', async () => {
    const inbox = await openFilledInbox()
    const { receiver } = inbox
    const audit = { reason: 'compliance asks', actor: 'operator 2' }
    await receiver.pause({}, audit)
    await inbox.send('transfer.settled', {}, 'evt_waits')
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), audit)
    await run.finished()
    const authorize = (_: IncomingMessage, action: string) =>
      action === 'overview:read' || action === 'events:read'
    const url = await mount(inbox, { authorize })
    for (const [hash, ...words] of [
      ['#/overview', 'Who paused it and why needs the right audits:read.'],
      [
        '#/events/evt_waits',
        'Who paused it and why needs the right audits:read.',
        'Who changed it and why needs the right audits:read.',
      ],
      ['#/events/evt_dead', 'Who discarded it and why needs the right audits:read.'],
      ['#/operations', 'Who started them and why needs the right audits:read.'],
      [`#/operations/${run.id}`, 'Who started or changed it and why needs the right audits:read.'],
    ] as const) {
      const page = await openConsole(url, { hash })
      for (const each of words) {
        await page.getByText(each).waitFor()
      }
      expect(await page.locator('body').textContent()).not.toMatch(/operator 2|compliance|undefined/)
    }
  })

  it('on a read-only console is not told of a right that would not help', async () => {
    const { receiver, ...inbox } = await openFilledInbox()
    const body = (await receiver.inspect('evt_dead'))?.body ?? ''
    await receiver.replayEdited('evt_dead', { body }, { reason: 'a test', actor: 'Ann' })
    const url = await mount({ receiver, ...inbox }, { readOnly: true })
    const page = await openConsole(url, { hash: '#/events/evt_dead' })
    await page.getByText('Discard this event if the copy replaces it. This console is read-only.').waitFor()
    for (const hash of ['quarantine/verify-all', 'operations/new?action=replay&state=dead']) {
      await page.goto(`${url}/#/${hash}`)
      await page.getByText('This console is read-only.').waitFor()
      expect(await page.getByText('the right').count()).toBe(0)
    }
  })

  it('on a read-only console is told so', async () => {
    const page = await openConsole(await mount(await openFilledInbox(), { readOnly: true }), {
      hash: '#/events/evt_dead',
    })
    await page.getByText('read-only', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'evt_dead' }).waitFor()
    expect(await page.getByText('This console is read-only.').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Replay…' }).count()).toBe(0)
  })
})
