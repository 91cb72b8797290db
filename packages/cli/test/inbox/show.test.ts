import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditEntry, InspectedQuarantine, ShapeChange, StoredEvent } from 'webhook-inbox'
import { printDelivery, printEvent, type ShownEvent } from '../../src/inbox/print-record.js'
import { createPrinter } from '../../src/printer.js'
import type { World } from '../../src/world.js'
import { openRig, type Rig, steady } from './rig.js'

const at = '2026-01-02T03:04:05.000Z'

const event = {
  key: 'k1',
  endpoint: 'payments',
  id: 'evt_1',
  type: 'transfer.failed',
  state: 'dead',
  generation: 1,
  lastError: 'a\nb',
  environment: undefined,
  body: Buffer.from('{"id":"evt_1","n":[1]}'),
  attempts: [
    { generation: 0, attempt: 1, at, error: 'first' },
    { generation: 1, attempt: 1, at, error: 'second' },
  ],
} as unknown as StoredEvent

const replays = [{ action: 'replay', at, actor: 'grace', reason: 'fixed' }] as unknown as AuditEntry[]

const shapeChanges = [
  { change: 'renamed', path: 'data.b', before: 'data.a', type: 'string' },
  { change: 'type', path: 'data.c', before: 'number', type: 'string' },
  { change: 'added', path: 'data.d', type: 'string' },
  { change: 'missing', path: 'data.e', type: 'object' },
] as unknown as ShapeChange[]

const delivery = {
  key: 'payments/00',
  code: 'invalid_json',
  deliveries: 2,
  place: '17',
  eventId: '',
  body: Buffer.from('not\tJSON\n{'),
  rejection: { code: 'invalid_json', detail: 'at byte 1' },
  warnings: ['one', 'two'],
} as unknown as InspectedQuarantine

/** The lines of text, or the JSON document. */
function printed(work: (print: ReturnType<typeof createPrinter>, json: boolean) => void) {
  const text = (json: boolean) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    work(createPrinter({ stdout, stderr, env: {} } as unknown as World, { color: false }), json)
    return String(stdout.read())
  }
  return { lines: text(false).split('\n').slice(0, -1), document: JSON.parse(text(true)) }
}

const ofEvent = (shown: Partial<ShownEvent> = {}) =>
  printed((print, json) => printEvent({ event, replays: [], shapeChanges: [], ...shown }, { print, json }))

describe('an event', () => {
  it('is shown with its fields, attempts, replays, place, changes and body', () => {
    expect(ofEvent({ replays, shapeChanges, place: 'receiver.ts' }).lines).toEqual([
      'key           k1',
      'endpoint      payments',
      'id            evt_1',
      'type          transfer.failed',
      'state         dead',
      'generation    1',
      'lastError     a\\nb',
      `attempts      1 of the first run  ${at}  first`,
      `attempts      1 of replay 1  ${at}  second`,
      `replayed      ${at} by grace: fixed`,
      'place         receiver.ts',
      'shape         data.b may have been data.a',
      'shape         data.c is string, was number',
      'shape         data.d is added (string)',
      'shape         data.e is missing (object)',
      '',
      '{',
      '  "id": "evt_1",',
      '  "n": [',
      '    1',
      '  ]',
      '}',
    ])
  })

  it('is one JSON document, with its body as text', () => {
    const { document } = ofEvent({ replays, shapeChanges, place: 'receiver.ts' })
    expect(document).toEqual({
      ...event,
      body: '{"id":"evt_1","n":[1]}',
      environment: undefined,
      place: 'receiver.ts',
      replays,
      shapeChanges,
    })
  })

  it('without attempts, replays, place and changes has no lines for them', () => {
    const { lines } = ofEvent({ event: { ...event, attempts: undefined } as unknown as StoredEvent })
    expect(lines.map((line) => line.slice(0, 9).trim()).slice(0, 9)).toEqual([
      'key',
      'endpoint',
      'id',
      'type',
      'state',
      'generatio',
      'lastError',
      '',
      '{',
    ])
  })

  it('whose body is not UTF-8 is shown with its bytes too', () => {
    const body = Uint8Array.of(0xff, 0x41)
    const { lines, document } = ofEvent({ event: { ...event, body } as StoredEvent })
    expect(lines).toContain('bodyBase64    /0E=')
    expect(lines.at(-1)).toBe('\ufffdA')
    expect(document).toMatchObject({ body: '\ufffdA', bodyBase64: '/0E=' })
    expect(ofEvent().document).not.toHaveProperty('bodyBase64')
  })
})

describe('a quarantined delivery', () => {
  const ofDelivery = (given: object = {}) =>
    printed((print, json) => printDelivery({ ...delivery, ...given } as InspectedQuarantine, { print, json }))

  it('is shown with its fields, fault, warnings and body, without the place in a list', () => {
    expect(ofDelivery().lines).toEqual([
      'key           payments/00',
      'code          invalid_json',
      'deliveries    2',
      'rejection     invalid_json: at byte 1',
      'warning       one',
      'warning       two',
      '',
      'not\\tJSON',
      '{',
    ])
  })

  it('may have no detail, no fault and no warnings', () => {
    expect(ofDelivery({ rejection: { code: 'invalid_json' }, warnings: undefined }).lines.slice(3)).toEqual([
      'rejection     invalid_json',
      '',
      'not\\tJSON',
      '{',
    ])
    expect(ofDelivery({ rejection: undefined, warnings: [] }).lines.slice(3, 5)).toEqual(['', 'not\\tJSON'])
  })

  it('is one JSON document', () => {
    expect(ofDelivery().document).toEqual({ ...delivery, body: 'not\tJSON\n{' })
  })
})

describe('inbox show', () => {
  let rig: Rig
  beforeAll(async () => {
    delete process.env.IS_WELL
    rig = await openRig('receiver.ts')
  })
  afterAll(() => rig?.close())

  it('shows an event of a store', async () => {
    const { code, screen } = await rig.terminal(['show', 'evt_1'])
    const lines = steady(screen).map((line) =>
      line.replace(/[0-9a-f]{64}|(?<=payments:)[0-9a-f]{24}/, 'HASH'),
    )
    expect([code, ...lines.slice(0, 17)]).toEqual([
      0,
      'key  HASH',
      'endpoint  payments',
      'id  evt_1',
      'type  transfer.failed',
      'createdAt  TIME',
      'contentHash  HASH',
      'state  dead',
      'attempt  1',
      'failures  1',
      'generation  0',
      'receivedAt  TIME',
      'lastError  handler_failed: Error: the ledger refuses tr_evt_1',
      'group  payments:HASH',
      'resource  tr_evt_1',
      'attempts  1  TIME  handler_failed: Error: the ledger refuses tr_evt_1',
      'place  transfer.failed programs/receiver.ts',
      '{',
    ])
  })

  it('says in JSON who replayed an event, the newest first, and nothing else that was done to it', async () => {
    const { running } = rig
    await running.pause({}, { reason: 'a test', actor: 'ada' })
    for (const reason of ['one', 'two']) {
      await running.replay('evt_2', { reason, actor: 'grace' })
    }
    const shown = async (id: string) => JSON.parse((await rig.inbox(['show', id, '--json'])).stdout)
    expect((await shown('evt_2')).replays).toMatchObject([{ reason: 'two' }, { reason: 'one' }])
    expect((await shown('evt_1')).replays).toEqual([])
    await running.resume({}, { reason: 'a test', actor: 'ada' })
  })
})
