import { describe, expect, it } from 'vitest'
import type { AuditEntry, Receiver } from 'webhook-inbox'
import { AuditLines } from '../src/views/audit-lines.js'
import { auditRow } from '../src/views/audit-row.js'

const noon = Date.UTC(2026, 0, 1, 12)
const at = (minutesBefore: number) => new Date(noon - minutesBefore * 60_000).toISOString()
const hash = 'a'.repeat(64)

const entry = (over: object = {}): AuditEntry =>
  ({
    id: '1',
    at: at(0),
    action: 'replay',
    endpoint: 'payments',
    key: 'key_1',
    eventId: 'evt_1',
    actor: 'Ann',
    reason: 'a test',
    ...over,
  }) as AuditEntry

/** A receiver that knows how many events each run changed. */
const receiver = (applied: Readonly<Record<string, number>> = {}) =>
  ({
    findRun: async (id: string) =>
      id in applied ? { progress: async () => ({ applied: applied[id] }) } : undefined,
  }) as unknown as Receiver

async function linesOf(entries: readonly AuditEntry[], applied = {}, isSingle = false) {
  const lines = new AuditLines(isSingle)
  const needed = entries.map((each) => {
    const needs = lines.needsLine(each)
    lines.add(each)
    return needs
  })
  const rows = await lines.rows(receiver(applied), auditRow)
  expect(lines.length).toBe(rows.length)
  return { needed, rows: rows.map(({ action, count, since, eventId }) => [action, count ?? eventId, since]) }
}

describe('the audits', () => {
  it('of single acts have a line each', async () => {
    const entries = [entry(), entry({ id: '2' }), entry({ id: '3', action: 'giveUp' })]
    expect(await linesOf(entries)).toEqual({
      needed: [true, true, true],
      rows: [
        ['replay', 'evt_1', undefined],
        ['replay', 'evt_1', undefined],
        ['giveUp', 'evt_1', undefined],
      ],
    })
  })

  it('of a run share a line, with the count of the run and its oldest time', async () => {
    const ofRun = (minutes: number, over: object = {}) => entry({ run: 'run_1', at: at(minutes), ...over })
    const entries = [ofRun(0), entry(), ofRun(60), ofRun(120, { action: 'startRun', key: undefined })]
    const { needed, rows } = await linesOf(entries, { run_1: 7 })
    expect(needed).toEqual([true, true, false, false])
    expect(rows).toEqual([
      ['replay', 7, at(120)],
      ['replay', 'evt_1', undefined],
    ])
    expect((await linesOf(entries, {})).rows[0]).toEqual(['replay', 2, at(120)])
    expect((await linesOf([ofRun(0)], { run_1: 1 })).rows).toEqual([['replay', 'evt_1', undefined]])
  })

  it('of a run are apart by person, by reason, by run and by kind', async () => {
    const ofRun = (over: object) => entry({ run: 'run_1', ...over })
    const entries = [
      ofRun({}),
      ofRun({ actor: 'Bob' }),
      ofRun({ reason: 'another' }),
      ofRun({ run: 'run_2' }),
      ofRun({ key: `payments/${hash}` }),
      ofRun({ action: 'undo' }),
    ]
    expect((await linesOf(entries)).needed).toEqual(Array(6).fill(true))
  })

  it('of the state of a run have a line each', async () => {
    const entries = ['pauseRun', 'resumeRun', 'pauseRun'].map((action) =>
      entry({ action, run: 'run_1', key: undefined, eventId: undefined }),
    )
    expect((await linesOf(entries, { run_1: 9 })).rows).toEqual([
      ['pauseRun', undefined, undefined],
      ['resumeRun', undefined, undefined],
      ['pauseRun', undefined, undefined],
    ])
  })

  it.each(['undo', 'verifyAgain'])(
    'of %s without a run share a line until a pause of ten minutes',
    async (action) => {
      const one = (minutes: number, over: object = {}) => entry({ action, at: at(minutes), ...over })
      expect(await linesOf([one(0), one(10), one(20)])).toEqual({
        needed: [true, false, false],
        rows: [[action, 3, at(20)]],
      })
      const late = [one(0), one(10.01), one(11)]
      expect((await linesOf(late)).rows).toEqual([
        [action, 'evt_1', undefined],
        [action, 2, at(11)],
      ])
      expect((await linesOf([one(0), one(1, { actor: 'Bob' })])).needed).toEqual([true, true])
    },
  )

  it('of an undo of a run count what was undone, and not what the run changed', async () => {
    const undone = [entry({ action: 'undo', run: 'run_1' }), entry({ action: 'undo', run: 'run_1' })]
    expect((await linesOf(undone, { run_1: 9 })).rows).toEqual([['undo', 2, at(0)]])
  })

  it('have a line each where each is asked for', async () => {
    const entries = [entry({ run: 'run_1' }), entry({ run: 'run_1' }), entry({ action: 'undo' })]
    expect(await linesOf(entries, { run_1: 9 }, true)).toEqual({
      needed: [true, true, true],
      rows: [
        ['replay', 'evt_1', undefined],
        ['replay', 'evt_1', undefined],
        ['undo', 'evt_1', undefined],
      ],
    })
  })
})

it('an audit is shown without the keys of the store', () => {
  expect(auditRow(entry({ run: 'run_1', subject: 'type a.b' }))).toEqual({
    id: '1',
    at: at(0),
    action: 'replay',
    actor: 'Ann',
    reason: 'a test',
    eventId: 'evt_1',
    subject: 'type a.b',
    run: 'run_1',
  })
  expect(auditRow(entry({ key: `payments/${hash}`, eventId: undefined }))).toMatchObject({
    isOfDelivery: true,
  })
  const ofCause = auditRow(entry({ key: undefined, endpoint: undefined, eventId: undefined }))
  expect(Object.keys(ofCause)).toEqual(['id', 'at', 'action', 'actor', 'reason'])
})
