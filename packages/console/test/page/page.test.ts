import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Locator } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { consoleHandler } from '../../src/index.js'
import { openFilledInbox, openInbox, sqliteFile } from '../rig.js'
import { addSilentType, cell, mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('says first what is wrong, and leads there', async () => {
  const page = await openConsole(await mount(await openFilledInbox()))
  await page.getByRole('heading', { name: '1 dead, 1 quarantined' }).waitFor()
  await page.getByText('production').waitFor()
  await page.locator('dl.weather a[href="#/events?state=dead"]').click()
  await cell(page, 'transfer.failed').waitFor()
  expect(await page.locator('.list tbody tr').count()).toBe(1)
})

it('says that all is well where nothing waits, and what to expect where nothing is kept', async () => {
  const page = await openConsole(await mount(await openInbox()))
  await page.getByText('All is well').waitFor()
  await page.getByText('No open cause.').waitFor()
  await page.getByText('0 events arrived.', { exact: true }).waitFor()
  expect(await page.title()).toBe('Overview - Inbox console')
  await page.getByRole('link', { name: 'Events' }).click()
  await page.getByText('No event is stored yet.').waitFor()
  await page.getByRole('link', { name: 'Quarantine' }).click()
  await page.getByText('Nothing is quarantined.').waitFor()
})

it('draws done and dead events on one scale', async () => {
  const page = await openConsole(await mount(await openBusyInbox()))
  await page.locator('.arrivals rect.dead').first().waitFor({ state: 'attached' })
  const bars = await Promise.all(
    (await page.locator('.arrivals g').all()).map(async (bar) => {
      const words = (await bar.locator('title').textContent()) ?? ''
      const [arrived = 0, dead = 0, open = 0] = [...words.matchAll(/(\d+) (?:arrived|dead|open)/g)].map(
        ([, count]) => Number(count),
      )
      const height = async (part: string) =>
        Number(
          (await bar.locator(`rect.${part}`).all())[0] &&
            (await bar.locator(`rect.${part}`).getAttribute('height')),
        )
      return { done: arrived - dead - open, dead, up: await height('done'), down: await height('dead') }
    }),
  )
  const tallest = bars.toSorted((a, b) => b.done - a.done)[0]
  const deepest = bars.toSorted((a, b) => b.dead - a.dead)[0]
  const [up, down] = [
    Number(tallest?.up) / Number(tallest?.done),
    Number(deepest?.down) / Number(deepest?.dead),
  ]
  expect(down).toBeCloseTo(up, 6)
  expect(up).toBeGreaterThan(0)
})

it('names a type that has gone silent, what silent means, and leads to its events', async () => {
  const { store, file } = await sqliteFile()
  const inbox = await openInbox(async () => store)
  await inbox.send('transfer.settled', {}, 'evt_usual')
  await inbox.until(({ done }) => done === 1)
  addSilentType(file, 'statement.ready')
  const page = await openConsole(await mount(inbox))
  await page.getByRole('heading', { name: '1 type silent' }).waitFor()
  const silent = page.locator('dl.weather div', { hasText: 'Sources' })
  await silent.getByText('1 silent', { exact: true }).waitFor()
  await silent.getByText('of 2 types').waitFor()
  const done = page.locator('dl.weather div', { hasText: 'of what arrived in this time' })
  await done.getByText('1 an hour', { exact: true }).waitFor()
  const sources = page.getByRole('region', { name: 'Sources' }).first()
  await sources.getByText('A source is silent if no event has come for at least an hour').waitFor()
  const words = await sources.locator('tbody tr').allInnerTexts()
  expect(
    words.map((row) =>
      row
        .split('\t')
        .slice(0, 2)
        .map((cell) => cell.trim()),
    ),
  ).toEqual([
    ['statement.ready', 'Silent'],
    ['The whole endpoint', 'As usual'],
    ['transfer.settled', 'As usual'],
  ])
  expect(words[0]).toMatch(/20 h.*30/s)
  await sources.getByRole('link', { name: 'statement.ready' }).click()
  await page.getByText('30 events, and no older ones.').waitFor()
})

it('calls no type usual while the endpoint is silent', async () => {
  const { store, file } = await sqliteFile()
  const inbox = await openInbox(async () => store)
  const rare = Array.from({ length: 7 }, (_, at) => `rare.type_${at}`)
  for (const type of rare) {
    addSilentType(file, type, 5)
  }
  const page = await openConsole(await mount(inbox))
  await page.getByRole('heading', { name: 'endpoint silent' }).waitFor()
  const sources = page.getByRole('region', { name: 'Sources' }).first()
  const states = sources.locator('tbody td:nth-child(2)')
  expect((await states.allInnerTexts()).map((text) => text.trim())).toEqual([
    'Silent',
    ...rare.slice(0, 5).map(() => 'Too rare to tell'),
  ])
  await sources.getByText('2 types more: too rare to tell.').waitFor()
  await sources.getByText('A type is too rare to tell if').waitFor()
  expect(await sources.getByText(/usual/i).count()).toBe(0)
})

it('shows an event, replays it with a reason, and says who did it', async () => {
  const inbox = await openFilledInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events?state=dead' })
  await cell(page, 'transfer.failed').getByRole('link').click()
  const pane = page.getByRole('complementary')
  await pane.getByText('transfer.failed evt_dead failed').first().waitFor()
  await pane.getByText('"transferId": "tr_1"').waitFor()
  await pane.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('button', { name: 'Replay 1' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('the rail is back')
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  await pane.getByRole('cell', { name: 'the rail is back' }).waitFor()
  await pane.getByRole('cell', { name: 'operator' }).waitFor()
  await pane.getByText('once', { exact: true }).first().waitFor()
  expect(await inbox.receiver.audits()).toMatchObject([{ action: 'replay', actor: 'operator' }])
})

it('shows what arrives while it is open', async () => {
  const inbox = await openFilledInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events' })
  await page.getByText('Live').waitFor()
  await cell(page, 'transfer.settled').waitFor()
  await inbox.send('account.closed', {}, 'evt_new')
  await cell(page, 'account.closed').waitFor()
})

it('finds by the form, and the address is the view', async () => {
  const url = await mount(await openFilledInbox())
  const page = await openConsole(url, { hash: '#/events' })
  await page.getByRole('textbox', { name: 'type' }).fill('transfer.set*')
  await page.getByRole('textbox', { name: 'type' }).fill('transfer.settled')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('1 event, and no older ones.').waitFor()
  expect(page.url()).toBe(`${url}/#/events?type=transfer.settled`)
  const other = await openConsole(url, { hash: '#/events?type=transfer.settled' })
  await other.getByText('1 event, and no older ones.').waitFor()
  await other.getByRole('link', { name: 'Show all' }).click()
  await other.getByText('2 events, and no older ones.').waitFor()
})

it('discards a quarantined delivery, after its body was looked at, and puts it back', async () => {
  const inbox = await openFilledInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'invalid_json' }).click()
  await page.getByText('no JSON').first().waitFor()
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('a test of the sender')
  await page.getByRole('button', { name: 'Discard 1' }).click()
  await page.getByText('Nothing is quarantined.').waitFor()
  await page.getByRole('complementary', { name: 'Undo' }).getByRole('button', { name: 'Undo…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('it was no test')
  await page.getByRole('button', { name: 'Restore it' }).click()
  await page.getByRole('link', { name: 'invalid_json' }).click()
  await page.getByText('no JSON').first().waitFor()
  expect(await inbox.receiver.quarantined()).toMatchObject([{ code: 'invalid_json', deliveries: 1 }])
})

it('shows what a quarantined delivery says otherwise than the event of its id', async () => {
  const inbox = await openInbox()
  await inbox.send('transfer.settled', { transferId: 'tr_1' }, 'evt_twice')
  await inbox.until(({ done }) => done === 1)
  await inbox.send('transfer.settled', { transferId: 'tr_2' }, 'evt_twice')
  await inbox.until(({ quarantined }) => quarantined === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'event_id_conflict' }).click()
  const difference = page.getByRole('region', { name: 'Difference' })
  await difference.locator('[data-side=left]', { hasText: 'tr_1' }).waitFor()
  await difference.locator('[data-side=right]', { hasText: 'tr_2' }).waitFor()
})

it('says which masked values of a quarantined delivery differ, and does not show them', async () => {
  const inbox = await openInbox()
  const send = (to: string, from: string) =>
    inbox.send('transfer.settled', { transferId: 'tr_1', to: { phone: to }, from }, 'evt_twice')
  await send('+256700000001', 'Ada')
  await inbox.until(({ done }) => done === 1)
  await send('+256700000002', 'Ada')
  await inbox.until(({ quarantined }) => quarantined === 1)
  const page = await openConsole(await mount(inbox, { mask: ['data.to.*', 'data.from'] }), {
    hash: '#/quarantine',
  })
  await page.getByRole('link', { name: 'event_id_conflict' }).click()
  await page.getByRole('region', { name: 'Difference' }).waitFor()
  const differing = page.locator('.note', { hasText: 'These values are masked, and they differ:' })
  expect(await differing.getByRole('listitem').allInnerTexts()).toEqual(['data.to.phone'])
  expect(await page.content()).not.toContain('+256')
})

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

it('pauses and resumes everything, and says why an event waits', async () => {
  const inbox = await openFilledInbox()
  const url = await mount(inbox)
  const page = await openConsole(url)
  await page.getByRole('button', { name: 'Pause…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('the bank is closed')
  await page.getByRole('button', { name: 'Pause everything' }).click()
  await page.getByText('the bank is closed').waitFor()
  await inbox.send('transfer.settled', {}, 'evt_waits')
  const other = await openConsole(url, { hash: '#/events/evt_waits' })
  const { sentence } = await inbox.receiver.explain('evt_waits')
  await other.getByText(sentence).waitFor()
  await page.getByRole('button', { name: 'Resume…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('it is open again')
  await page.getByRole('button', { name: 'Resume everything' }).click()
  await page.getByRole('button', { name: 'Pause…' }).waitFor()
  await inbox.until(({ done }) => done === 2)
})

it.each([[390], [800]])(
  'shows every page and the id of each event on a screen of %i pixels',
  async (width) => {
    const viewport = { width, height: 844 }
    const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events', viewport })
    const [pages, states] = ['Pages', 'Filter by state'].map((name) =>
      page.getByRole('navigation', { name }).getByRole('link'),
    ) as [Locator, Locator]
    await cell(page, 'evt_returned_2').waitFor()
    expect(await pages.allInnerTexts()).toEqual([
      'Overview',
      'Failures',
      'Events',
      'Quarantine',
      'Operations',
      'Audits',
    ])
    for (const each of [...(await pages.all()), ...(await states.all())]) {
      const box = await each.boundingBox()
      const { x, y, width, height } = box ?? { x: -1, y: 0, width: 0, height: 0 }
      expect([x >= 0, x + width <= viewport.width]).toEqual([true, true])
      // Nothing covers it, and no container cuts it off.
      const isOnTop = await each.evaluate(
        (link, at) =>
          at.every(([x, y]) => link.contains(document.elementFromPoint(x as number, y as number))),
        [x + 4, x + width / 2, x + width - 4].map((left) => [left, y + height / 2]),
      )
      expect(isOnTop).toBe(true)
    }
    const rows = page.locator('.list tbody tr:not(.spacer)')
    const id = rows.first().locator('.event')
    expect(await id.textContent()).toBe('evt_returned_2')
    expect((await id.boundingBox())?.height).toBeGreaterThan(10)
  },
)

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
    await page.getByText(reason).first().waitFor()
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

it('says since when its figures are old while the program is away, and forgets it afterwards', async () => {
  const { receiver } = await openFilledInbox()
  const handler = consoleHandler(receiver, { authorize: () => true, actor: () => 'operator' })
  const serve = async (port: number) => {
    const server = createServer(handler).listen(port, '127.0.0.1')
    await once(server, 'listening')
    const end = () => {
      server.closeAllConnections()
      server.close()
    }
    onTestFinished(end)
    return { end, port: (server.address() as AddressInfo).port }
  }
  const first = await serve(0)
  const page = await openConsole(`http://127.0.0.1:${first.port}`, { hash: '#/events/evt_dead' })
  await page.getByText('Live').waitFor()
  await page.getByRole('button', { name: 'Discard…' }).waitFor()
  first.end()
  await page.getByText(/^Not connected since \d\d:\d\d:\d\d; the figures are from then\./).waitFor()
  const times = () => page.locator('main time').allTextContents()
  const before = await times()
  await page.waitForTimeout(2500)
  expect(await times()).toEqual(before)
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('a test')
  await page.getByRole('button', { name: 'Discard 1' }).click()
  const problem = page.getByRole('dialog').getByText('The program does not respond.')
  await problem.waitFor()
  await serve(first.port)
  await page.getByText('Not connected').waitFor({ state: 'detached' })
  await problem.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Discard 1' }).click()
  await page
    .getByRole('complementary', { name: 'Event' })
    .getByText(/^Discarded .* by operator/)
    .waitFor()
})

it('has less than 50 kB, compressed', () => {
  const folder = new URL('../../page/dist/assets/', import.meta.url)
  const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(new URL(name, folder))).byteLength)
  expect(sizes.length).toBeGreaterThan(1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(50_000)
})
