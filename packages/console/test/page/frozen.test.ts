import { expect, it } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox, sqliteFile } from '../rig.js'
import { openConsole } from './scene.js'
import { serve } from './serve.js'

useBrowser('console')

it('does not call a frozen program live, and gives up an act that gets no answer', async () => {
  const { url, program } = await serveFilled()
  const page = await openConsole(url, { hash: '#/events/evt_dead' })
  const live = page.getByText('Live', { exact: true })
  await live.waitFor()
  await page.getByRole('button', { name: 'Discard…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('a test')
  const frozenAt = Date.now()
  program.kill('SIGSTOP')
  await dialog.getByRole('button', { name: 'Discard 1' }).click()
  const banner = page.getByText(/^The program does not respond\. The figures are from/)
  await banner.waitFor()
  expect(Date.now() - frozenAt).toBeLessThan(16_000)
  expect(await live.count()).toBe(0)
  await dialog
    .getByText('The program did not respond. It is not known whether it happened. Look before you try again.')
    .waitFor()
  await keepPicture(page, 'frozen-program')
  program.kill('SIGCONT')
  await live.waitFor()
  await banner.waitFor({ state: 'detached' })
})

it('calls a program live that has nothing to tell for fifteen seconds', async () => {
  const { url } = await serveFilled()
  const page = await openConsole(url, { hash: '#/overview' })
  await page.getByText('Live', { exact: true }).waitFor()
  const states = await page.evaluate(async () => {
    const seen = new Set<string | undefined>()
    for (const end = Date.now() + 15_000; Date.now() < end; ) {
      seen.add(document.querySelector('.connection')?.textContent ?? undefined)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return [...seen]
  })
  expect(states).toEqual(['Live'])
})

/** A console over a filled inbox, in a process of its own. */
async function serveFilled() {
  const { store, file } = await sqliteFile()
  await openFilledInbox(async () => store)
  return serve(file)
}
