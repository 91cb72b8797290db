import type { Page } from 'playwright-core'

/** A text of the open operation. */
export const outcome = (page: Page, text: string) => page.locator('main').getByText(text, { exact: true })

/** Previews, fills the form and starts. */
export async function start(page: Page, button: string, fields: { canary?: string; pace?: string } = {}) {
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('spinbutton', { name: 'At most per second' }).fill(fields.pace ?? '1000')
  // Only actions that run events have one.
  const canary = page.getByRole('spinbutton', { name: 'First, as a canary' })
  if ((await canary.count()) > 0) {
    await canary.fill(fields.canary ?? '0')
  }
  await page.getByRole('textbox').fill('the ledger is back')
  await page.getByRole('button', { name: button }).click()
}

/** Opens a dialog, gives a reason and confirms. */
export async function confirm(page: Page, open: string, button: string) {
  await page.getByRole('button', { name: open }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('because')
  await page.getByRole('dialog').getByRole('button', { name: button }).click()
}
