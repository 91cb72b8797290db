import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox } from '../rig.js'
import { cell, mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('nothing of a body, an id, a type, an error or a resource can run', async () => {
  const attacks = [
    '<script>document.title="owned"</script>',
    '"><img src=x onerror=document.title="owned">',
    "'><svg onload=document.title='owned'>",
    'javascript:document.title="owned"',
    '{{constructor.constructor("document.title=\'owned\'")()}}',
    '</pre></section><iframe srcdoc="<script>parent.document.title=1</script>">',
    '#/overview?"><script>document.title="owned"</script>',
    '%3Cscript%3Edocument.title="owned"%3C/script%3E',
  ]
  const inbox = await openInbox()
  for (const attack of attacks) {
    await inbox.sendRaw(
      JSON.stringify({
        id: attack,
        type: attack,
        created_at: '2026-01-01T00:00:00Z',
        data: { [attack]: attack, resource: attack },
      }),
    )
    await inbox.sendRaw(`no JSON ${attack}`)
  }
  await inbox.until(({ dead, quarantined }) => dead === attacks.length && quarantined === attacks.length)
  const url = await mount(inbox, { actor: () => attacks[0] as string, environment: attacks[1] as string })
  const page = await openConsole(url, { hash: '#/events' })
  await page.getByText(`${attacks.length} events, and no older ones.`).waitFor()
  for (const attack of attacks) {
    await page.goto(`${url}/#/events/${encodeURIComponent(attack)}`)
    await page.getByRole('complementary').getByText(`${attack} failed`).first().waitFor()
    await page.getByRole('list', { name: 'Its attempts' }).getByText('The error above.').waitFor()
    await page.getByRole('region', { name: 'Body' }).waitFor()
  }
  for (const { key } of await inbox.receiver.quarantined()) {
    await page.goto(`${url}/#/quarantine/${encodeURIComponent(key)}`)
    await page.getByRole('region', { name: 'Body' }).waitFor()
  }
  for (const { group } of await inbox.receiver.failures()) {
    await page.goto(`${url}/#/failures/${encodeURIComponent(group)}`)
    await page.getByRole('complementary', { name: 'Cause' }).getByText('First seen').waitFor()
  }
  const plan = await inbox.receiver.plan({ action: 'discard' })
  const [reason = '', actor = ''] = attacks
  const run = await inbox.receiver.run(plan, { reason, actor })
  await run.finished()
  await inbox.receiver.pause({ type: attacks[1] as string }, { reason, actor })
  for (const hash of ['overview', 'failures', 'operations', `operations/${run.id}`, 'audits']) {
    await page.goto(`${url}/#/${hash}`)
    await page.locator('main :is(h1, h2)').first().waitFor({ state: 'attached' })
    await page.getByText(reason).filter({ visible: true }).first().waitFor()
  }
  await page.goto(`${url}/#/operations/new?type=${encodeURIComponent(reason)}`)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('No event matches.').waitFor()
  expect(await page.title()).toBe('Operations - Inbox console')
  expect(await page.locator('iframe, img, main script').count()).toBe(0)
})

it('shows characters that turn or hide text, and copies them exactly', async () => {
  const [turn, blank] = ['\u202e', '\u200b']
  // Emoji that joiners make one picture.
  const family = '\u{1f469}\u{1f3fd}\u200d\u{1f467}, \u2764\ufe0f\u200d\u{1f525}, a\u200db'
  const resource = { resource: ({ data }: { data: { transferId: string } }) => data.transferId }
  const handlers = {
    async 'transfer.failed'() {
      throw new Error(`the name ${turn}gpj.exe`)
    },
  }
  const inbox = await openInbox(undefined, handlers, { attempts: 1 }, resource)
  const data = { transferId: `tr_${blank}1`, note: `${turn}\u2066abc\u{e0041}`, family }
  await inbox.send('transfer.failed', data, 'evt_hidden')
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), {
    hash: '#/events',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await cell(page, 'the name \\u202egpj.exe').getByRole('link').click()
  const pane = page.getByRole('complementary', { name: 'Event' })
  await pane.getByText('the name \\u202egpj.exe').first().waitFor()
  await pane.getByRole('link', { name: 'tr_\\u200b1' }).waitFor()
  const body = pane.getByRole('region', { name: 'Body' })
  await body.getByText('"\\u202e\\u2066abc\\u{e0041}"').waitFor()
  expect(await body.locator('.hidden-character').allInnerTexts()).toContain('\\u{e0041}')
  await body
    .getByText('"\u{1f469}\u{1f3fd}\u200d\u{1f467}, \u2764\ufe0f\u200d\u{1f525}, a\\u200db"')
    .waitFor()
  const shown = await page.evaluate(() => document.body.textContent)
  expect(shown).not.toMatch(/[\u202e\u200b\u2066]/)
  const direction = await pane.getByRole('link', { name: 'tr_\\u200b1' }).evaluate((link) => {
    return getComputedStyle(link).unicodeBidi
  })
  expect(direction).toBe('isolate')
  await pane.getByRole('button', { name: 'Copy the body' }).click()
  await page.getByText('Copied the body.').waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toBe(new TextDecoder().decode((await inbox.receiver.inspect('evt_hidden'))?.body))
  expect(copied).toContain(turn)
})

it('shows hidden characters as escapes where a body is edited, and runs the same body', async () => {
  const inbox = await openInbox()
  const { receiver } = inbox
  const note = '\u202egnp.exe\u2066 \u{e0041}\u200b'
  await inbox.send('transfer.failed', { note, amount: '1' }, 'evt_hidden')
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_hidden' })
  await page.getByRole('button', { name: /^Edit and replay…/ }).click()
  const dialog = page.getByRole('dialog')
  const field = dialog.getByRole('textbox', { name: /^Body/ })
  const text = await field.inputValue()
  expect(text).toContain('"note": "\\u202egnp.exe\\u2066 \\udb40\\udc41\\u200b"')
  await field.fill(text.replace('"1"', '"2"'))
  await dialog.getByRole('textbox', { name: /^Why/ }).fill('a wrong amount')
  await dialog.getByRole('button', { name: 'Run the copy' }).click()
  await dialog.waitFor({ state: 'detached' })
  await inbox.until(({ dead }) => dead === 2)
  const [copy] = await receiver.list({ root: 'evt_hidden', order: 'newest' })
  expect(JSON.parse(new TextDecoder().decode(copy?.body)).data).toMatchObject({ note, amount: '2' })
})

it('keeps names and values of a body in their places if they are of a right-to-left script', async () => {
  const inbox = await openInbox()
  const [name, value] = ['\u05e9\u05dd', '\u05d0\u05d1']
  await inbox.send('transfer.failed', { [name]: value }, 'evt_hebrew')
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_hebrew' })
  const body = page.getByRole('region', { name: 'Body' })
  const leftOf = (text: string) =>
    body.locator('pre').evaluate((pre, wanted) => {
      const texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT)
      const range = document.createRange()
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const at = node.textContent?.indexOf(wanted) ?? -1
        if (at >= 0) {
          range.setStart(node, at)
          range.setEnd(node, at + wanted.length)
          return range.getBoundingClientRect().left
        }
      }
      return Number.NaN
    }, text)
  await body.getByText(value).first().waitFor()
  for (const press of ['As received', 'Lay out']) {
    expect(await leftOf(name)).toBeLessThan(await leftOf(value))
    await page.getByRole('button', { name: press }).click()
  }
})

it('offers no copy of a body with masks', async () => {
  const inbox = await openInbox()
  await inbox.send('transfer.failed', { phone: '+256700000001' }, 'evt_dead')
  await inbox.until(({ dead }) => dead === 1)
  const hash = '#/events/evt_dead'
  const open = await openConsole(await mount(inbox), { hash })
  await open.getByRole('button', { name: 'Copy the body' }).waitFor()
  const masked = await openConsole(await mount(inbox, { mask: ['data.phone'] }), { hash })
  await masked.getByRole('region', { name: 'Body' }).getByText('•••').waitFor()
  expect(await masked.getByRole('button', { name: 'Copy the body' }).count()).toBe(0)
})

it('shows the spaces that would hide a difference between two ids, types or resources', async () => {
  const ids = ['evt a', 'evt  a', 'evt a ', ' evt a', 'evt\u00a0a']
  const resource = ({ data }: { data: { of: string } }) => data.of
  const inbox = await openInbox(undefined, {}, { attempts: 1 }, { resource })
  for (const id of ids) {
    const body = { id, type: id, created_at: '2026-01-01T00:00:00Z', data: { of: id } }
    await inbox.sendRaw(JSON.stringify(body))
  }
  await inbox.until(({ dead }) => dead === ids.length)
  const url = await mount(inbox)
  const page = await openConsole(url, {
    hash: '#/events',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const shown = ['evt a', 'evt··a', 'evt a·', '·evt a', 'evt\\u00a0a']
  await page.getByText(`${ids.length} events, and no older ones.`).waitFor()
  expect((await page.locator('td.event').allTextContents()).toSorted()).toEqual(shown.toSorted())
  expect((await page.locator('.list .cover').allTextContents()).toSorted()).toEqual(shown.toSorted())
  // A dot alone could be a character of the id.
  const marks = page.locator('td.event .hidden-character[title=space]')
  expect(await marks.allTextContents()).toEqual(Array(4).fill('·'))
  for (const [at, id] of ids.entries()) {
    await page.goto(`${url}/#/events/${encodeURIComponent(id)}`)
    await expect.poll(() => page.locator('.pane h2').first().textContent()).toBe(shown[at])
    const link = page.locator('.pane .life a.mono')
    expect(await link.textContent()).toBe(shown[at])
    const href = (await link.getAttribute('href')) ?? ''
    expect(new URLSearchParams(href.split('?')[1]).get('resource')).toBe(id)
    await page.getByRole('button', { name: 'Copy the id' }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(id)
  }
  await page.goto(`${url}/#/events?resource=${encodeURIComponent('evt  a')}`)
  await page.getByText('1 event, and no older ones.').waitFor()
})

it('marks no space of its own words', async () => {
  const page = await openConsole(await mount(await openBusyInbox()))
  for (const hash of [
    'overview',
    'failures',
    'events',
    'events/evt_reshaped_1',
    'quarantine',
    'operations/new',
    'audits',
  ]) {
    await page.goto(page.url().replace(/#.*/, `#/${hash}`))
    await page.locator('h1, h2').first().waitFor()
    await expect.poll(() => page.getByText(/^(Reading|Counting) /).count()).toBe(0)
    expect(await page.locator('.hidden-character').allTextContents()).toEqual([])
    expect(await page.locator('[title*="\u2423"], [aria-label*="\u2423"]').count()).toBe(0)
  }
})
