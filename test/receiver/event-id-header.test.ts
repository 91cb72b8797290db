import { describe, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { delivery, settled } from './deliver.js'
import { base, receive, receiver } from './receive.js'

describe('the event id header', () => {
  it('may be missing from a Headers object', async () => {
    const request = await delivery(settled, { headers: { 'service-event-id': undefined } })
    const headers = new Headers(request.headers as Record<string, string>)
    expect(await receiver().receive({ ...request, headers })).toMatchObject({ outcome: 'processed' })
  })

  it('may be missing', async () => {
    expect(await receive({ headers: { 'service-event-id': undefined } })).toMatchObject({
      outcome: 'processed',
    })
  })

  it('may be required', async () => {
    expect(await receive({}, { requireEventIdHeader: true })).toMatchObject({ outcome: 'processed' })
  })

  it('may be a list with one element', async () => {
    expect(await receive({ headers: { 'service-event-id': ['evt_1'] } })).toMatchObject({
      outcome: 'processed',
    })
  })

  it.each(['a"b\\c', '"}', '</script>', "a'b", '\u{1f4b8}'])(
    '%s is escaped as JSON in the response',
    async (id) => {
      const { createdAt, environment: _, ...rest } = settled
      const snake = { ...rest, id, type: 'x', created_at: createdAt, data: {} }
      const receiver = createReceiver({ ...base, store: memoryStore(), fallback: () => {} })
      const headers = { 'service-event-id': Buffer.from(id).toString('latin1') }
      const { body } = await receiver.receive(await delivery(snake, { headers }))
      expect(body).toBe(JSON.stringify({ outcome: 'processed', eventId: id }))
    },
  )

  it('is decoded from bytes when it is not ASCII', async () => {
    const id = 'zaharë-\u{1f4b8}'
    const { createdAt, environment: _, ...rest } = settled
    const snake = { ...rest, id, type: 'x', created_at: createdAt, data: {} }
    const any = () => createReceiver({ ...base, store: memoryStore(), fallback: () => {} })
    for (const header of [id, Buffer.from(id).toString('latin1')]) {
      const request = await delivery(snake, { headers: { 'service-event-id': header } })
      expect(await any().receive(request)).toMatchObject({ outcome: 'processed', eventId: id })
    }
    const other = await delivery(snake, { headers: { 'service-event-id': `${id}x` } })
    expect(await any().receive(other)).toMatchObject({ code: 'event_id_mismatch' })
  })

  it('is signed if the scheme says so', async () => {
    const scheme = { content: 'id.timestamp.body' } as const
    const deliver = async (headers: Record<string, string | string[] | undefined>) =>
      receiver({ scheme }).receive(await delivery(settled, { scheme, headers }))
    expect(await deliver({})).toMatchObject({ outcome: 'processed' })
    expect(await deliver({ 'service-event-id': ['evt_1'] })).toMatchObject({ outcome: 'processed' })
    expect(await deliver({ 'service-event-id': 'evt_2' })).toMatchObject({ code: 'signature_mismatch' })
    expect(await deliver({ 'service-event-id': undefined })).toMatchObject({ code: 'malformed_signature' })
    expect(await deliver({ 'service-event-id': ['evt_1', 'evt_1'] })).toMatchObject({
      code: 'malformed_signature',
    })
  })
})
