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
