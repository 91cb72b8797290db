import { expect, it } from 'vitest'
import { findings, useBrowser } from 'webhook-inbox-ui/browser'
import type { GroupRow, Page } from '../../src/wire.js'
import { json, openInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

interface Sent {
  readonly data: { readonly name: string }
}

const long = 'the bank answered with a page that is not JSON, and so the request was not understood '.repeat(
  3,
)

const handlers = {
  async 'card.blocked'() {
    throw new Error("cannot read the field 'limit' of the card")
  },
  async 'card.closed'() {
    throw new Error("cannot read the field 'reason' of the card")
  },
  async 'payout.sent'() {
    throw new Error(`${long}at the gateway`)
  },
  async 'payout.named'({ data }: Sent) {
    throw new Error(`${long}for ${data.name}`)
  },
}

async function openAlike() {
  const inbox = await openInbox(undefined, handlers)
  for (const type of Object.keys(handlers)) {
    await inbox.send(type, { name: 'Amelia Stone' }, `evt_${type.replace('.', '_')}`)
  }
  await inbox.until(({ dead }) => dead === 4)
  return inbox
}

it('tells causes with one title apart by their errors, in the list, in a preview and alone', async () => {
  const url = await mount(await openAlike())
  const page = await openConsole(url, { hash: '#/failures' })
  const rows = page.locator('.causes tbody tr')
  await expect.poll(() => rows.count()).toBe(4)
  for (const text of [
    /field 'limit' of/,
    /field 'reason' of/,
    /….*at the gateway$/,
    /….*for Amelia Stone$/,
  ]) {
    expect(await rows.getByText(text).count()).toBe(1)
  }
  expect(await findings(page)).toEqual([])
  await page.goto(`${url}/#/operations/new?state=dead&action=discard`)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page
    .getByRole('listitem')
    .getByText(/field 'limit' of/)
    .waitFor()
  await page
    .getByRole('listitem')
    .getByText(/at the gateway/)
    .click()
  await page
    .getByRole('complementary', { name: 'Cause' })
    .getByText(/at the gateway$/)
    .waitFor()
})

it('shows no masked value where it tells causes apart', async () => {
  const url = await mount(await openAlike(), { mask: ['data.name'] })
  const page = await openConsole(url, { hash: '#/failures' })
  await page
    .locator('.causes')
    .getByText(/at the gateway$/)
    .waitFor()
  expect(await page.locator('main').textContent()).not.toMatch(/Amelia|Stone/)
  const { rows } = await json<Page<GroupRow>>(`${url}/api/groups`)
  for (const { group } of rows) {
    expect(JSON.stringify(await json(`${url}/api/groups/${encodeURIComponent(group)}`))).not.toMatch(
      /Amelia|Stone/,
    )
  }
})
