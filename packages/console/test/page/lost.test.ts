import { expect, it } from 'vitest'
import type { Receiver } from 'webhook-inbox'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { limitedConsole, listen, openFilledInbox } from '../rig.js'
import { cell, mount, openConsole } from './scene.js'

useBrowser('console')

it('names the database, and when the figures were read, if only the database does not respond', async () => {
  const { receiver } = await openFilledInbox()
  let isLost = false
  const failing: Receiver = {
    ...receiver,
    statistics: (query) => (isLost ? Promise.reject(new Error('no database')) : receiver.statistics(query)),
  }
  const options = {
    authorize: () => true,
    actor: () => 'operator',
    logger: { info() {}, warn() {}, error() {} },
  }
  const url = await listen(limitedConsole(failing, options, { lookSeconds: 1 }))
  const page = await openConsole(url, { hash: '#/events' })
  let readAt = 0
  page.on('response', (response) => {
    readAt = response.url().includes('/api/events') ? Date.now() : readAt
  })
  await page.reload()
  await cell(page, 'transfer.settled').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.waitForTimeout(3000)
  const lostAt = Date.now()
  isLost = true
  const banner = page.locator('.note', { hasText: 'The database does not respond. The program does.' })
  await banner.getByText('This page connects again by itself.').waitFor()
  await keepPicture(page, 'lost-database')
  const said = Date.parse((await banner.locator('time').getAttribute('datetime')) ?? '')
  expect(Math.abs(said - readAt)).toBeLessThan(lostAt - readAt)
  expect(said).toBeLessThan(lostAt)
  // A tab that opens now says the same.
  const other = await openConsole(url, { hash: '#/events' })
  await other.getByText('The database does not respond. The program does.').waitFor()
  isLost = false
  await banner.waitFor({ state: 'detached' })
})

it('keeps the figures that it has if they cannot be read again, and does not call them well', async () => {
  const { receiver } = await openFilledInbox()
  let isLost = false
  const failing: Receiver = {
    ...receiver,
    // The stream compares one bucket.
    statistics: (query) =>
      isLost && query?.buckets !== 1
        ? Promise.reject(new Error('a lock of another transaction'))
        : receiver.statistics(query),
  }
  const options = {
    authorize: () => true,
    actor: () => 'operator',
    logger: { info() {}, warn() {}, error() {} },
  }
  const url = await listen(limitedConsole(failing, options, { heartbeatSeconds: 0.5 }))
  const page = await openConsole(url)
  const dead = page.locator('dl.weather div', { hasText: 'run again only when replayed' }).locator('.value')
  await page.getByText('none silent').first().waitFor()
  isLost = true
  await page.getByText('The statistics cannot be read. The log').waitFor()
  expect(await dead.textContent()).toBe('1')
  expect(await page.locator('.scale').textContent()).not.toContain('now')
  expect(await page.getByText(/As usual|none silent|Nothing stored has failed/).count()).toBe(0)
  isLost = false
  await page.getByText('As usual').first().waitFor()
})

it.each([
  ['the session has ended', 401, 'You are signed out. Reload to sign in.'],
  ['a person may do nothing', 403, 'You may do nothing here now. If you are signed out, reload to sign in.'],
])('says that %s, to a page and to an act', async (_, status, words) => {
  const { receiver } = await openFilledInbox()
  let isSignedIn = true
  const options = { authorize: () => isSignedIn, actor: () => 'operator' }
  const serve = limitedConsole(receiver, options, { heartbeatSeconds: 0.5 })
  const url = await listen((request, response) => {
    if (isSignedIn || status === 403) {
      serve(request, response)
    } else {
      response.writeHead(status, { Connection: 'close' }).end()
    }
  })
  const page = await openConsole(url, { hash: '#/events/evt_dead' })
  await page.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('the rail is back')
  isSignedIn = false
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  await dialog.getByText(words, { exact: false }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText(`${words} Everything below is as of`, { exact: false }).waitFor()
  expect(await page.getByText('by itself').count()).toBe(0)
  await keepPicture(page, `signed-out-${status}`)
  isSignedIn = true
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
})

it('does not call a person signed out who may not follow the changes', async () => {
  const authorize = (_: unknown, action: string) => action === 'events:read'
  const page = await openConsole(await mount(await openFilledInbox(), { authorize }), { hash: '#/events' })
  await page.getByText('This page does not update itself: that needs the right overview:read.').waitFor()
  // Each view is new when it is opened.
  expect(await page.getByText('is as of').count()).toBe(0)
  expect(await page.locator('main').evaluate((main) => getComputedStyle(main).filter)).toBe('none')
  expect(await page.getByText('signed out').count()).toBe(0)
})
