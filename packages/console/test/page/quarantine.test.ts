import { expect, it } from 'vitest'
import { findings, keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { type Inbox, openFilledInbox, openInbox, sharedStore } from '../rig.js'
import { confirm } from './operate.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

it('discards a quarantined delivery, after its body was looked at, and puts it back', async () => {
  const inbox = await openFilledInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'invalid_json', exact: true }).click()
  await page.getByText('no JSON').first().waitFor()
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('a test of the sender')
  await page.getByRole('button', { name: 'Discard 1' }).click()
  await page.getByText('Nothing is quarantined.').waitFor()
  await page.getByRole('complementary', { name: 'Delivery' }).getByRole('button', { name: 'Undo…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('it was no test')
  await page.getByRole('button', { name: 'Restore it' }).click()
  await page.getByRole('link', { name: 'invalid_json', exact: true }).click()
  await page.getByText('no JSON').first().waitFor()
  expect(await inbox.receiver.quarantined()).toMatchObject([{ code: 'invalid_json', deliveries: 1 }])
})

it('shows the id of a delivery if it is known, and else how long the body is', async () => {
  const inbox = await openInbox()
  await inbox.sendRaw(
    '{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}',
  )
  await inbox.sendRaw('no JSON')
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  const row = (code: string) => page.locator('.list tbody tr', { hasText: code })
  await row('invalid_data').getByText('evt_1', { exact: true }).waitFor()
  await row('invalid_json').getByText('id unknown, 7 bytes').waitFor()
})

it('shows what a quarantined delivery says otherwise than the event of its id', async () => {
  const inbox = await openInbox()
  await inbox.send('transfer.settled', { transferId: 'tr_1' }, 'evt_twice')
  await inbox.until(({ done }) => done === 1)
  await inbox.send('transfer.settled', { transferId: 'tr_2' }, 'evt_twice')
  await inbox.until(({ quarantined }) => quarantined === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'event_id_conflict', exact: true }).click()
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
  await page.getByRole('link', { name: 'event_id_conflict', exact: true }).click()
  await page.getByRole('region', { name: 'Difference' }).waitFor()
  const differing = page.locator('.note', { hasText: 'These values are masked, and they differ:' })
  expect(await differing.getByRole('listitem').allInnerTexts()).toEqual(['data.to.phone'])
  expect(await page.content()).not.toContain('+256')
})

it('checks a quarantined delivery again, and says why it stays', async () => {
  const page = await openConsole(await mount(await openFilledInbox()), { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'invalid_json', exact: true }).click()
  await page.getByText('The signed body is not valid JSON, or is ambiguous.').waitFor()
  await page.getByRole('button', { name: 'Verify again…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('the schema is corrected')
  await page.getByRole('button', { name: 'Check it again' }).click()
  await page.getByText(/^It stays in quarantine: invalid_json/).waitFor()
})

const noted =
  '{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}'

it('says that the check of a delivery fails in resource(), before it, after it and to others', async () => {
  const makeStore = await sharedStore()
  await (await openInbox(makeStore)).sendRaw(noted)
  const resource = ({ data }: { data: { b: { c: string } } }) => data.b.c
  const inbox = await openInbox(makeStore, {}, {}, { inexactNumbers: 'round', resource })
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'invalid_data', exact: true }).click()
  const fails = /^Your code fails in the check now: in resource\(\)\. Verify it again, and the log/
  await page.getByText(fails).waitFor()
  // The advice is on what is wrong now.
  await page.getByText('fix the function that the log of the program names').waitFor()
  expect(await page.getByText('inexactNumbers').count()).toBe(0)
  await page.getByText('When it arrived: JavaScript cannot represent a number exactly.').waitFor()
  expect(await page.getByText('schema', { exact: false }).count()).toBe(0)
  await confirm(page, 'Verify again…', 'Check it again')
  const checked = page.locator('.note', { hasText: 'You checked it' })
  await checked.getByText(/It stays in quarantine: handler_failed: in resource\(\)\.$/).waitFor()
  expect(await page.getByText('The body is valid').count()).toBe(0)
  expect(await findings(page)).toEqual([])
  await keepPicture(page, 'delivery-check-failed')
  await page.reload()
  await page.getByText(fails).waitFor()
  expect(await page.getByText('The body is valid').count()).toBe(0)
})

it('keeps the outcome of a check whose code fails only sometimes', async () => {
  const makeStore = await sharedStore()
  await (await openInbox(makeStore)).sendRaw(noted)
  let isDown = false
  const resource = () => {
    if (isDown) {
      throw new Error('no lookup')
    }
    return 'r'
  }
  const inbox = await openInbox(makeStore, {}, {}, { inexactNumbers: 'round', resource })
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'invalid_data', exact: true }).click()
  await page.getByText('The body is valid by the current options.').waitFor()
  isDown = true
  await confirm(page, 'Verify again…', 'Check it again')
  const checked = page.locator('.note', { hasText: 'You checked it' })
  await checked.getByText('handler_failed: in resource()').waitFor()
  isDown = false
  await page.getByRole('link', { name: 'Back to the list' }).click()
  await page.getByRole('link', { name: 'invalid_data', exact: true }).click()
  await page.getByText('The body is valid by the current options.').waitFor()
  await checked.waitFor()
})

it('names the field that is wrong in a quarantined delivery', async () => {
  const inbox = await openFilledInbox()
  await inbox.sendRaw(JSON.stringify({ id: 'evt_undated', type: 'transfer.settled', data: {} }))
  await inbox.until(({ quarantined }) => quarantined === 2)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'invalid_envelope', exact: true }).click()
  await page.getByText(/^What is wrong: .*createdAt/).waitFor()
})

it('goes to the event that a delivery became, also from the address of the delivery', async () => {
  const makeStore = await sharedStore()
  await (await openInbox(makeStore)).sendRaw(
    '{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}',
  )
  const inbox = await openInbox(makeStore, {}, {}, { inexactNumbers: 'round' })
  const [delivery] = await inbox.receiver.quarantined()
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'invalid_data', exact: true }).click()
  const rounded = 'JavaScript cannot represent data.a exactly: it was rounded'
  await page.getByRole('complementary', { name: 'Delivery' }).getByText(rounded).waitFor()
  await page.getByText('The body is valid by the current options.').waitFor()
  expect(await page.getByText('What to do').count()).toBe(0)
  await page.getByRole('button', { name: 'Verify again…' }).click()
  await page.getByRole('dialog').getByText(rounded).waitFor()
  await page.getByRole('dialog').getByRole('textbox').fill('numbers are rounded now')
  await page.getByRole('button', { name: 'Check it again' }).click()
  await page.getByRole('heading', { name: 'evt_1' }).waitFor()
  await page.locator('.announcement').getByText('It is accepted as evt_1.').waitFor()
  expect(new URL(page.url()).hash).toBe('#/events/evt_1')
  const received = page.locator('dt:text-is("Received") + dd')
  await received.locator(`time[datetime="${delivery?.receivedAt}"]`).first().waitFor()
  await page.locator('dt:text-is("Released") + dd').getByText('from quarantine').waitFor()
  // The list says the same of it.
  const row = page.locator('.list tbody tr', { hasText: 'evt_1' })
  expect(await row.locator('.when time').getAttribute('datetime')).toBe(delivery?.receivedAt)
  await row.getByText(/^released from quarantine /).waitFor()
  await page.getByText('JavaScript cannot represent data.a exactly: the handler gets it rounded.').waitFor()
  await page.getByLabel('Body').getByText('12345678901234567890').waitFor()
  await keepPicture(page, 'event-rounded')
  await page.goBack()
  const pane = page.getByRole('complementary', { name: 'Delivery' })
  await pane.getByText(/^Released .+ by operator\. It became the event evt_1\.$/).waitFor()
  await keepPicture(page, 'delivery-released')
  await pane.getByRole('link', { name: 'evt_1' }).click()
  await page.getByRole('heading', { name: 'evt_1' }).waitFor()
})

it('says that the handler gets a number rounded, also of a done event and before a replay', async () => {
  const makeStore = await sharedStore()
  await (await openInbox(makeStore)).sendRaw(
    '{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"amount":9007199254740993}}',
  )
  const inbox = await openInbox(makeStore, { async 'ledger.noted'() {} }, {}, { inexactNumbers: 'round' })
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'invalid_data', exact: true }).click()
  await page.getByRole('button', { name: 'Verify again…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('numbers are rounded now')
  await page.getByRole('button', { name: 'Check it again' }).click()
  await page.getByText('It was done.').first().waitFor()
  await page.getByText(/^JavaScript cannot represent data.amount exactly: /).waitFor()
  await page.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByText(/its handler runs a second time\.$/)
    .first()
    .waitFor()
  await dialog
    .getByText('JavaScript cannot represent data.amount exactly: the handler gets it rounded.')
    .waitFor()
})

it('does not say that a delivery differs from its event if only the options changed', async () => {
  const makeStore = await sharedStore()
  const noted =
    '{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}'
  const round = await openInbox(makeStore, { async 'ledger.noted'() {} }, {}, { inexactNumbers: 'round' })
  await round.sendRaw(noted)
  await round.until(({ done }) => done === 1)
  const strict = await openInbox(makeStore)
  await strict.sendRaw(noted)
  const open = async (inbox: Inbox) => {
    const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
    await page.getByRole('link', { name: 'invalid_data', exact: true }).click()
    return page.getByRole('complementary', { name: 'Delivery' })
  }
  const pane = await open(strict)
  await pane.getByText(/^The stored event evt_1 was done/).waitFor()
  await pane.getByText('JavaScript cannot represent a number exactly.').waitFor()
  expect(await pane.getByText('other content', { exact: false }).count()).toBe(0)
  const text = 'The body is valid by the current options, but an event with its id is stored.'
  const now = await open(round)
  await now.getByText(text).waitFor()
  await now.getByText('ask the sender which of the two events is correct').waitFor()
})

it('advises on the number of a delivery, and not on a schema', async () => {
  const inbox = await openInbox()
  await inbox.sendRaw(
    '{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}',
  )
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'invalid_data', exact: true }).click()
  const pane = page.getByRole('complementary', { name: 'Delivery' })
  await pane.getByText('JavaScript cannot represent a number exactly.').waitFor()
  await pane.getByText("set inexactNumbers to 'round'", { exact: false }).waitFor()
  expect(await page.getByText('schema', { exact: false }).count()).toBe(0)
  await page.goto(`${url}/#/failures/payments%3Ainvalid_data`)
  await page.getByRole('heading', { name: 'JavaScript cannot represent a number exactly' }).waitFor()
  expect(await page.getByText('schema', { exact: false }).count()).toBe(0)
})

it('names the path of the number for which a delivery is in quarantine, and not the number behind a mask', async () => {
  const inbox = await openInbox()
  const number = '12345678901234567890'
  await inbox.sendRaw(
    `{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"lines":[{"amount":25},{"amount":${number}}]}}`,
  )
  await inbox.sendRaw(
    '{"id":"evt_2","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"\u202etnuoma":1e999}}',
  )
  await inbox.until(({ quarantined }) => quarantined === 2)
  for (const mask of [undefined, ['data.lines.*.amount']]) {
    const page = await openConsole(await mount(inbox, { ...(mask && { mask }) }), { hash: '#/quarantine' })
    const open = (id: string) => page.locator('.list tbody tr', { hasText: id }).getByRole('link').click()
    const pane = page.getByRole('complementary', { name: 'Delivery' })
    await open('evt_1')
    await pane.getByText(/^What is wrong: .*data\.lines\[1\]\.amount/).waitFor()
    await pane.getByRole('region', { name: 'Body' }).getByText('evt_1').waitFor()
    expect((await pane.textContent())?.includes(number)).toBe(mask === undefined)
    expect(await findings(page)).toEqual([])
    await keepPicture(page, mask ? 'quarantine-path-masked' : 'quarantine-path')
    await open('evt_2')
    await pane.getByText(/^What is wrong: .*tnuoma/).waitFor()
    expect(await pane.textContent()).not.toContain('\u202e')
  }
})

it('tells deliveries apart by the id in their bodies, with one name on each view, for who may read bodies', async () => {
  const inbox = await openInbox()
  for (const id of ['evt_no_time_1', 'evt_no_time_2']) {
    // A key that stands twice leaves it open which event it is.
    await inbox.sendRaw(`{"id":"${id}","type":"transfer.settled","type":"transfer.failed","data":{}}`)
  }
  await inbox.until(({ quarantined }) => quarantined === 2)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  for (const id of ['evt_no_time_1', 'evt_no_time_2']) {
    await page.locator('.list tbody tr').getByText(`id in the body: ${id}`, { exact: true }).waitFor()
  }
  await page.getByRole('link', { name: 'Verify again all that match…' }).click()
  await page.getByRole('textbox', { name: /^Why/ }).fill('the options are corrected')
  await page.getByRole('button', { name: 'Verify again all 2' }).click()
  const happened = page.getByRole('table', { name: 'What happened' })
  await happened.getByRole('link', { name: 'id in the body: evt_no_time_1', exact: true }).waitFor()
  const authorize = (_: unknown, action: string) => action !== 'bodies:read'
  const other = await openConsole(await mount(inbox, { authorize }), { hash: '#/quarantine' })
  await other
    .locator('.list tbody tr')
    .getByText(/^id unknown, \d+ bytes$/)
    .first()
    .waitFor()
  expect(await other.getByText('evt_no_time_1').count()).toBe(0)
})
