import { describe, expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { hiddenValues, withoutHidden } from '../src/views/hidden-values.js'
import { resolveMask } from '../src/views/mask.js'
import { act, listen, openInbox } from './rig.js'

/** The path of the first group, as a console names it. */
async function groupAt(origin: string): Promise<string> {
  const { rows } = (await (await fetch(`${origin}/api/groups`)).json()) as { rows: { group: string }[] }
  return `groups/${encodeURIComponent(rows[0]?.group ?? '')}`
}

const hide = (text: string, body: unknown, ...paths: string[]) =>
  withoutHidden(text, hiddenValues(Buffer.from(JSON.stringify(body)), resolveMask(paths)))

describe('a text that repeats a masked value', () => {
  it.each([
    ['no account of Ada Lovelace', { name: 'Ada Lovelace' }, 'no account of •••'],
    ['no account of ADA LOVELACE', { name: 'Ada Lovelace' }, 'no account of •••'],
    ['pin 17 is wrong, 170 is not', { name: 17 }, 'pin ••• is wrong, 170 is not'],
    ['amount 1250', { name: { amount: 1250, list: ['x'] } }, 'amount •••'],
    ['got "a\\"b+c"', { name: 'a"b+c' }, 'got "•••"'],
    ['nothing of it', { name: 'Ada' }, 'nothing of it'],
    ['it is true', { name: true }, 'it is true'],
    ['empty', { name: '' }, 'empty'],
    ['found no Ada Lovelace', { name: ['no Ada', 'Ada Lovelace'] }, 'found •••'],
    ['Lovelace17', { name: ['Lovelace', 17] }, '••••••'],
    ['STRASSE 5', { name: 'Straße 5' }, '•••'],
    ['no account of Ada Lovelace.', { name: ' Ada Lovelace\n' }, 'no account of •••.'],
    ['lives at 12 Main St Springfield East', { name: '12 Main St\n\nSpringfield  East ' }, 'lives at •••'],
    ['lives at 12 MAIN STRASSE', { name: ' 12 Main\tStraße' }, 'lives at •••'],
    ['pin 17, not 170', { name: ' 17 ' }, 'pin •••, not 170'],
    ['no account of Ada', { name: '{"first":"Ada","list":[17]}' }, 'no account of •••'],
    ['nothing of it', { name: '{"first":' }, 'nothing of it'],
    ['no account of Grace Hopper', { name: ['Grace', 'Grace Hopper'] }, 'no account of •••'],
    ['a gap -  - in it', { name: '  ' }, 'a gap -  - in it'],
    ['amount of Grace Hopper', { name: { 'Grace Hopper': { amount: 5 } } }, 'amount of •••'],
  ])('%s of %j is shown as %s', (text, body, shown) => {
    expect(hide(text, body, 'name')).toBe(shown)
  })

  it.each([
    [`${'a '.repeat(100)}is Ada Lov`, `${'a '.repeat(100)}is •••`],
    ['no account of ADA LO… is known', 'no account of •••… is known'],
    [`${'a '.repeat(100)}is Adamant`, `${'a '.repeat(100)}is Adamant`],
  ])('is hidden where a cut leaves only its beginning: %s', (text, shown) => {
    expect(hide(text, { name: 'Ada Lovelace' }, 'name')).toBe(shown)
    expect(hide(text, { name: `Ada Lovelace${'!'.repeat(5000)}` }, 'name')).toBe(shown)
  })

  it('is hidden as a whole where there is too much to look for', () => {
    const many = Array.from({ length: 2000 }, (_, i) => `value ${i}`)
    expect(hide('some error', { name: many }, 'name')).toBe('•••')
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const hidden = hiddenValues(Buffer.from(`{"name":${deep}}`), resolveMask(['name']))
    expect(withoutHidden('some error', hidden)).toBe('•••')
  })
})

it('a text is hidden as a whole where a search for all values takes too long', () => {
  const values = Array.from({ length: 900 }, (_, i) => `${'a'.repeat(90)}${i}`)
  expect(withoutHidden('a'.repeat(2000), values)).toBe('•••')
  expect(withoutHidden('a'.repeat(50), values)).toBe('•••')
})

it('a text is hidden as a whole where a search for many short values takes too long', () => {
  const values = Array.from({ length: 999 }, (_, i) => String(i).padStart(3, '0'))
  expect(withoutHidden('no '.repeat(1000), values)).toBe('•••')
  expect(withoutHidden('no 17', ['17'])).toBe('no •••')
})

it('what is no text stays as it is', () => {
  const view = { count: 5, isDone: true, next: null, rows: [{ at: 1.5, error: 'no Ada Lovelace' }] }
  expect(withoutHidden(view, ['Ada Lovelace'])).toEqual({ ...view, rows: [{ at: 1.5, error: 'no •••' }] })
})

it('the process does other work between the rows of a list', async () => {
  const inbox = await openInbox(undefined, {
    async 'user.verified'({ id }: { id: string }) {
      throw new Error(`cannot write ${id} down`)
    },
  })
  const events = 40
  for (let i = 0; i < events; i++) {
    await inbox.send('user.verified', { userId: `usr_${i}` }, `evt_${i}`)
  }
  await inbox.until(({ dead }) => dead === events)
  const options = { authorize: () => true, actor: () => 'operator', mask: ['data.userId'] }
  const url = await listen(consoleHandler(inbox.receiver, options))
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) {
      setImmediate(turn)
    }
  }
  for (const query of ['limit=200', 'state=dead&body=data.userId:x']) {
    turns = 0
    isOver = false
    const response = fetch(`${url}/api/events?${query}`)
    turn()
    await response
    isOver = true
    expect(turns).toBeGreaterThan(events)
  }
})

it('no view, no list and no search tells what a mask hides', async () => {
  const inbox = await openInbox(undefined, {
    async 'user.verified'({ data }: { data: { displayName: string } }) {
      throw new Error(`cannot write ${data.displayName} down`)
    },
  })
  const { receiver } = inbox
  await inbox.send('user.verified', { userId: 'usr_1', displayName: 'Lovelace', isAdult: true }, 'evt_1')
  await inbox.until(({ dead }) => dead === 1)
  const logger = { info() {}, warn() {}, error() {} }
  const options = { authorize: () => true, actor: () => 'operator', logger }
  const open = await listen(consoleHandler(receiver, options))
  const url = await listen(
    consoleHandler(receiver, { ...options, mask: ['data.displayName', 'data.userId'] }),
  )
  await fetch(`${url}/api/events/evt_1/replay`, act('once more'))
  await inbox.until(({ dead }) => dead === 1)
  const paths = [
    'overview',
    'events',
    'events?text=cannot%20write',
    'events/evt_1',
    'events/evt_1/body',
    'groups',
    'audits',
    'flow/pauses',
  ]
  let isShownWithoutMask = false
  for (const path of [...paths, await groupAt(url)]) {
    const response = await fetch(`${url}/api/${path}`)
    const text = await response.text()
    expect([path, response.status, /lovelace|usr_1/i.test(text)]).toEqual([path, 200, false])
    isShownWithoutMask ||= (await (await fetch(`${open}/api/${path}`)).text()).includes('Lovelace')
  }
  expect(isShownWithoutMask).toBe(true)
  const rowsOf = async (origin: string, query: string) =>
    ((await (await fetch(`${origin}/api/events?${query}`)).json()) as { rows: unknown[] }).rows.length
  expect([await rowsOf(open, 'text=lovelace'), await rowsOf(url, 'text=lovelace')]).toEqual([1, 0])
  expect(await rowsOf(url, 'text=cannot')).toBe(1)
  await receiver.discard('evt_1', { reason: 'a test', actor: 'operator' })
  for (const pathAt of [async () => 'groups', groupAt]) {
    expect(await (await fetch(`${open}/api/${await pathAt(open)}`)).text()).toContain('Lovelace')
    const masked = await fetch(`${url}/api/${await pathAt(url)}`)
    expect([masked.status, (await masked.text()).includes('Lovelace')]).toEqual([200, false])
  }
})

it('no delivery in quarantine, no rejection and no sample of a plan tells what a mask hides', async () => {
  const inbox = await openInbox(undefined, {
    async 'transfer.failed'({ data }: { data: { note: string } }) {
      throw new Error(`cannot write ${data.note} down`)
    },
  })
  const { receiver } = inbox
  const eventOf = (data: object) =>
    JSON.stringify({ id: 'evt_1', type: 'transfer.failed', created_at: '2026-01-01T00:00:00Z', data })
  await inbox.sendRaw(eventOf({ transferId: 'tr_kept', note: 'Lovelace' }))
  await inbox.sendRaw(eventOf({ transferId: 'tr_other', note: 'Hopper' }))
  await inbox.until(({ dead = 0, quarantined = 0 }) => dead + quarantined === 2)
  const deliveries = await receiver.quarantined()
  const url = await listen(
    consoleHandler(receiver, {
      authorize: () => true,
      actor: () => 'operator',
      mask: ['data.note', 'data.transferId'],
    }),
  )
  expect(deliveries.length).toBeGreaterThan(0)
  const texts: string[] = []
  const { rows } = (await (await fetch(`${url}/api/quarantine`)).json()) as { rows: { key: string }[] }
  expect(rows).toHaveLength(deliveries.length)
  for (const { key } of rows) {
    const path = `${url}/api/quarantine/${encodeURIComponent(key)}`
    const shown = await fetch(path)
    expect(shown.status).toBe(200)
    texts.push(await shown.text())
    texts.push(await (await fetch(`${path}/verify-again`, act('a test'))).text())
  }
  texts.push(await (await fetch(`${url}/api/plans`, act('', {}, { action: 'replay' }))).text())
  for (const text of texts) {
    expect(text).not.toMatch(/lovelace|hopper|tr_kept|tr_other/i)
  }
  expect(texts.join()).toContain('•••')
})

it('a name below a masked path is not shown as a change of the shape', async () => {
  let isBroken = false
  const inbox = await openInbox(undefined, {
    async 'ledger.noted'() {
      if (isBroken) {
        throw new Error('no')
      }
    },
  })
  const long = 'a'.repeat(200)
  const send = (id: string, data: object) =>
    inbox.sendRaw(JSON.stringify({ id, type: 'ledger.noted', created_at: '2026-01-01T00:00:00Z', data }))
  await send('evt_1', { accounts: { acc_lovelace: 1 }, [long]: {} })
  await inbox.until(({ done }) => done === 1)
  isBroken = true
  await send('evt_2', { accounts: { acc_lovelace: 1, acc_hopper: 2 }, [long]: { acc_hopper: 2 }, more: 1 })
  await inbox.until(({ dead }) => dead === 1)
  const options = { authorize: () => true, actor: () => 'operator', mask: ['data.accounts', `data.${long}`] }
  const url = await listen(consoleHandler(inbox.receiver, options))
  const text = await (await fetch(`${url}/api/events/evt_2`)).text()
  expect(JSON.parse(text).shapeChanges).toEqual([{ change: 'added', path: 'data.more', type: 'number' }])
  expect(text).not.toMatch(/lovelace|hopper/)
})

it.each([
  ['numbers in it', '221 Baker Street, Londinium', 'is not valid', ['Baker', 'Street', 'Londinium']],
  ['quotes in it', 'Wolfgang "Mozart" 1756 Salzburg', 'refused', ['Wolfgang', 'Mozart', 'Salzburg']],
  ['a quote and a line in it', `O'Neil "Bob"\nMcLine`, 'and others', ['Neil', 'McLine']],
  ['an end that is cut', `Hildegard Geheimnisvoll${'.'.repeat(4000)}`, 'now', ['Hildegard', 'Geheim']],
])('a title of a group shows no part of a masked value: with %s', async (_, value, rest, secrets) => {
  const inbox = await openInbox(undefined, {
    async 'user.verified'({ data }: { data: { displayName: string } }) {
      throw new Error(`the person ${data.displayName} ${rest}`)
    },
  })
  await inbox.send('user.verified', { userId: 'usr_1', displayName: value, isAdult: true }, 'evt_1')
  await inbox.until(({ dead }) => dead === 1)
  const options = { authorize: () => true, actor: () => 'operator', mask: ['data.displayName'] }
  const url = await listen(consoleHandler(inbox.receiver, options))
  const paths = ['groups', await groupAt(url), 'events', 'events/evt_1']
  for (const path of paths) {
    const response = await fetch(`${url}/api/${path}`)
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).toContain('the person')
    for (const secret of secrets) {
      expect(text, path).not.toContain(secret)
    }
  }
})
