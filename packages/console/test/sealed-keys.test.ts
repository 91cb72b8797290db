import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { Discarded, GroupRow, Page, PlanView, QuarantineList, VerificationPreview } from '../src/wire.js'
import { all } from './every-right.js'
import { act, type Inbox, json, listen, openInbox } from './rig.js'

const mask = ['data.name']
const linkSecret = 'a secret of these tests'
const post = (body: object) => act('a test', {}, { seen: undefined, ...body })
const part = encodeURIComponent

/** A dead event whose error repeats a masked name, and a delivery in quarantine with this name. */
async function openMasked(): Promise<Inbox & { readonly group: string; readonly key: string }> {
  const inbox = await openInbox(undefined, {
    async 'ledger.noted'({ data }: { data: { name: string } }) {
      throw new Error(`no customer ${data.name} here`)
    },
  })
  await inbox.send('ledger.noted', { name: 'Ada Lovelace' }, 'evt_1')
  await inbox.sendRaw('{"id":"evt_2","type":"ledger.noted","data":{"name":"Ada Lovelace"}}')
  await inbox.until(({ dead, quarantined }) => dead === 1 && quarantined === 1)
  const [delivery] = await inbox.receiver.quarantined()
  const groups = await inbox.receiver.failures()
  const group = groups.find(({ dead }) => dead > 0)?.group ?? ''
  return { ...inbox, group, key: delivery?.key ?? '' }
}

const serve = ({ receiver }: Inbox, over: object = { mask, linkSecret }) =>
  listen(consoleHandler(receiver, { ...all, ...over }))

const keyOf = async (url: string) => (await json<QuarantineList>(`${url}/api/quarantine`)).rows[0]?.key ?? ''

const groupOf = async (url: string) =>
  (await json<Page<GroupRow>>(`${url}/api/groups`)).rows.find(({ dead }) => dead > 0)?.group ?? ''

it('no answer has a hash of a masked value', async () => {
  const inbox = await openMasked()
  const { receiver, group, key } = inbox
  await receiver.acknowledgeGroup(group, { reason: `see ${key}`, actor: 'operator 2' })
  await receiver.plan({ action: 'replay', where: { group } })
  const url = await serve(inbox)
  const shown = await keyOf(url)
  const paths = [
    'events',
    'events/evt_1',
    'groups',
    `groups/${part(await groupOf(url))}`,
    'quarantine',
    `quarantine/${part(shown)}`,
    'audits',
    'runs',
  ]
  const hashes = [key.split('/').at(-1), group.split(':').at(-1)] as string[]
  const texts = await Promise.all(paths.map(async (path) => (await fetch(`${url}/api/${path}`)).text()))
  texts.push(await (await fetch(`${url}/api/quarantine/preview`, post({}))).text())
  texts.push(await (await fetch(`${url}/api/plans`, post({ action: 'replay' }))).text())
  texts.push(await (await fetch(`${url}/api/quarantine/verify-again`, post({}))).text())
  texts.push(await (await fetch(`${url}/api/quarantine/${part(shown)}/discard`, post({}))).text())
  texts.push(await (await fetch(`${url}/api/quarantine/${part(shown)}`)).text())
  texts.push(await (await fetch(`${url}/api/audits`)).text())
  texts.push(
    await (
      await fetch(
        `${url}/api/undo`,
        post({ of: 'payments/none', kind: 'delivery', seen: { undoUntil: 'now' } }),
      )
    ).text(),
  )
  for (const text of texts) {
    expect(text).not.toContain(hashes[0])
    expect(text).not.toContain(hashes[1])
  }
  const open = await serve(inbox, {})
  expect(await (await fetch(`${open}/api/groups`)).text()).toContain(hashes[1])
})

it('a guessed key gets the answer of any wrong one', async () => {
  const inbox = await openMasked()
  const url = await serve(inbox)
  const wrong = (text: string) => createHash('sha256').update(text).digest('hex')
  const answers = async (key: string, group: string) =>
    Promise.all(
      [
        fetch(`${url}/api/quarantine/${part(key)}`),
        fetch(`${url}/api/events/${part(key)}`),
        fetch(`${url}/api/audits?event=${part(key)}`),
        fetch(`${url}/api/undo`, post({ of: key })),
        fetch(`${url}/api/groups/${part(group)}`),
        fetch(`${url}/api/groups/~${part(group)}`),
        fetch(`${url}/api/groups/${part(group)}/resolve`, post({})),
        fetch(`${url}/api/groups?cursor=${part(group)}`),
        fetch(`${url}/api/events?group=${part(group)}`),
        fetch(`${url}/api/plans`, post({ action: 'replay', where: { group } })),
      ].map(async (answer) => [(await answer).status, await (await answer).text()]),
    )
  const right = await answers(inbox.key, inbox.group)
  expect(right).toEqual(await answers(`payments/${wrong('a')}`, `payments:${wrong('a').slice(0, 24)}`))
  expect(right.map(([status]) => status)).toEqual(right.map(() => 404))
})

it('links work in each process with the same secret', async () => {
  const inbox = await openMasked()
  const [one, other, foreign] = [await serve(inbox), await serve(inbox), await serve(inbox, { mask })]
  const [key, group] = [await keyOf(one), await groupOf(one)]
  expect([await keyOf(other), await groupOf(other)]).toEqual([key, group])
  expect(await json(`${other}/api/groups/${part(group)}`)).toMatchObject({ group, dead: 1 })
  expect(await json(`${other}/api/events?group=${part(group)}`)).toMatchObject({
    rows: [{ id: 'evt_1', group }],
  })
  const plan = await json<PlanView>(`${other}/api/plans`, post({ action: 'replay', where: { group } }))
  expect(plan).toMatchObject({ count: 1, sample: [{ group }] })
  const { sample } = await json<VerificationPreview>(`${other}/api/quarantine/preview`, post({}))
  expect(sample).toMatchObject([{ key }])
  const path = `quarantine/${part(key)}`
  expect(await json(`${other}/api/${path}`)).toMatchObject({ key })
  expect(await json(`${foreign}/api/${path}`)).toMatchObject({
    code: 'not_found',
    detail: expect.stringContaining('linkSecret'),
  })
  await fetch(`${other}/api/${path}/discard`, post({}))
  expect(await json(`${one}/api/${path}`)).toMatchObject({ discard: { actor: 'operator' } })
  const { discard: seen } = await json<Discarded>(`${one}/api/${path}`)
  expect(await json(`${one}/api/undo`, post({ of: key, kind: 'delivery', seen }))).toEqual({ undone: 1 })
  expect(await keyOf(one)).toBe(key)
})

it('a body and a reason keep what looks like a key', async () => {
  const inbox = await openInbox()
  const text = `payments/${'a'.repeat(64)}`
  await inbox.send('transfer.failed', { text }, 'evt_1')
  await inbox.until(({ dead }) => dead === 1)
  const url = await serve(inbox)
  const body = await json<{ text: string }>(`${url}/api/events/evt_1/body`)
  expect(JSON.parse(body.text)).toMatchObject({ data: { text } })
  const response = await fetch(`${url}/api/events/evt_1/replay`, act(text))
  expect(response.status).toBe(200)
  expect((await inbox.receiver.audits())[0]).toMatchObject({ reason: text })
})

it('an answer never encrypts a text that the caller sent', async () => {
  const inbox = await openMasked()
  const { receiver, key, group } = inbox
  await receiver.acknowledgeGroup(group, { reason: `see ${group}`, actor: 'operator 2' })
  const url = await serve(inbox)
  const sealed = [await keyOf(url), await groupOf(url)]
  const guesses = `${key} ${group} x`
  const texts = await Promise.all(
    [
      fetch(`${url}/api/events/evt_1/snippet?as=fixture&redact=${part(guesses)}`),
      fetch(`${url}/api/flow/pause`, post({ [guesses]: 1 })),
      fetch(`${url}/api/flow/pause`, post({ type: guesses })),
      fetch(`${url}/api/events?since=${part(guesses)}`),
      fetch(`${url}/api/events/${part(guesses)}`),
      fetch(`${url}/api/quarantine/${part(guesses)}`),
      fetch(`${url}/api/quarantine?code=${part(guesses)}`),
      fetch(`${url}/api/plans`, post({ action: guesses })),
      fetch(`${url}/api/plans`, post({ action: 'replay', where: { group: guesses, type: guesses } })),
      fetch(`${url}/api/undo`, post({ of: guesses, seen: { state: 'done', changes: 0 } })),
      fetch(`${url}/api/events/evt_1/replay`, act(guesses)),
    ].map(async (answer) => (await answer).text()),
  )
  for (const path of ['flow/pauses', 'audits', 'runs', 'events/evt_1']) {
    texts.push(await (await fetch(`${url}/api/${path}`)).text())
  }
  const forms = [...sealed, key, group].map((each) => each.split(/[/:]/).at(-1))
  for (const text of texts) {
    // The console itself names the cause of the event there.
    const echoed = text.replaceAll(/"(?:group|subject)":"[^"]*"/g, '')
    expect(forms.filter((form) => echoed.includes(form as string))).toEqual([])
  }
  expect(texts.join()).toContain('payments/••• payments:••• x')
})

it('a search for a text finds no key in an error', async () => {
  const hash = 'a'.repeat(64)
  const inbox = await openInbox(undefined, {
    async 'ledger.noted'() {
      throw new Error(`no copy of payments/${hash}`)
    },
  })
  await inbox.send('ledger.noted', { name: 'Ada' }, 'evt_1')
  await inbox.until(({ dead }) => dead === 1)
  const url = await serve(inbox)
  expect(await json(`${url}/api/events?text=${hash}`)).toEqual({ rows: [], searched: 1 })
  expect(await json(`${url}/api/events?text=no copy of`)).toMatchObject({
    rows: [{ lastError: expect.stringContaining('no copy of payments/•••') }],
  })
})
