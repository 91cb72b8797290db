import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox, sqliteFile } from '../rig.js'
import { openConsole } from './scene.js'
import { serve } from './serve.js'

useBrowser('console')

it('does not call a frozen program live, gives up an act without an answer, and calls a program live that has nothing to tell', async () => {
  const { url, program } = await serveFilled()
  const page = await openConsole(url, { hash: '#/events/evt_dead' })
  const live = page.getByText('Live', { exact: true })
  await live.waitFor()
  await page.getByRole('button', { name: 'Discard…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('a test')
  const quiet = await openConsole((await serveFilled()).url, { hash: '#/overview' })
  await quiet.getByText('Live', { exact: true }).waitFor()
  const states = statesOf(quiet, 15_000)
  const frozenAt = Date.now()
  program.kill('SIGSTOP')
  await dialog.getByRole('button', { name: 'Discard 1' }).click()
  const banner = page.getByText(/^The program does not respond\. Everything below is as of/)
  await banner.waitFor()
  expect(Date.now() - frozenAt).toBeLessThan(16_000)
  expect(await live.count()).toBe(0)
  await dialog
    .getByText(
      'The program did not respond. It is unknown whether it was changed. Look at the event before you try again.',
    )
    .waitFor()
  await keepPicture(page, 'frozen-program')
  program.kill('SIGCONT')
  await live.waitFor()
  await banner.waitFor({ state: 'detached' })
  await dialog.getByText(/before you try again\. The program responds again\.$/).waitFor()
  expect(await states).toEqual(['Live'])
})

/** What the page calls its connection during this time. */
const statesOf = (page: Page, milliseconds: number): Promise<unknown[]> =>
  page.evaluate(async (milliseconds) => {
    const seen = new Set<string | undefined>()
    for (const end = Date.now() + milliseconds; Date.now() < end; ) {
      seen.add(document.querySelector('.connection')?.textContent ?? undefined)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return [...seen]
  }, milliseconds)

/** A console over a filled inbox, in a process of its own. */
async function serveFilled() {
  const { store, file } = await sqliteFile()
  await openFilledInbox(async () => store)
  return serve(file)
}
