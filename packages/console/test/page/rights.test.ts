import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

describe('a person with fewer rights', () => {
  it('gets no button for what is rejected, and reads which right is missing', async () => {
    const authorize = (_: IncomingMessage, action: string) => action === 'events:read'
    const page = await openConsole(await mount(await openFilledInbox(), { authorize }), {
      hash: '#/events/evt_dead',
    })
    await page.getByText('Not permitted for you: Replay, Discard. Ask', { exact: false }).waitFor()
    await page.getByText('The body needs the right bodies:read.').waitFor()
    expect(await page.getByRole('button', { name: 'Replay…' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Audits' }).count()).toBe(0)
  })

  it('on a read-only console is told so', async () => {
    const page = await openConsole(await mount(await openFilledInbox(), { readOnly: true }), {
      hash: '#/events/evt_dead',
    })
    await page.getByText('This console is read-only.').waitFor()
    expect(await page.getByRole('button', { name: 'Replay…' }).count()).toBe(0)
  })
})
