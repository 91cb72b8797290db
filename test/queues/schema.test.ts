import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import type { ReceiveResult } from '../../src/result.js'
import { signPayload } from '../../src/signature/sign.js'
import { sqliteStore } from '../../src/stores/sqlite.js'

const folder = mkdtempSync(join(tmpdir(), 'webhook-inbox-schema-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const secret = 'whsec_test_secret'
const event = {
  id: 'evt_1',
  type: 'evidence.exported',
  environment: 'sandbox',
  createdAt: '2026-01-02T03:04:05Z',
  data: { evidenceId: 7 },
}

describe('an accepted event that its schema rejects', () => {
  it('is dead immediately, blocks no later event of its resource, and runs when it is replayed under a fixed schema', async () => {
    const store = sqliteStore(join(folder, 'inbox.sqlite'))
    const seen: unknown[] = []
    const results: ReceiveResult[] = []
    const receiverWith = (evidenceId: z.ZodType) =>
      createReceiver({
        secret,
        store,
        queue: localQueue({ pollSeconds: 0.05, retry: { firstPauseSeconds: 3600 } }),
        schemas: { 'evidence.exported': z.object({ evidenceId }) },
        handlers: { 'evidence.exported': ({ data }) => void seen.push(data) },
        resource: () => 'one for all',
        onResult: (result) => void results.push(result),
        logger: false,
      })

    const strict = receiverWith(z.string())
    const body = Buffer.from(JSON.stringify(event))
    const headers = {
      'content-type': 'application/json',
      'service-signature': await signPayload({ body, secret }),
    }
    expect(await strict.receive({ headers, body })).toMatchObject({ outcome: 'accepted' })
    const next = Buffer.from(JSON.stringify({ ...event, id: 'evt_2', data: { evidenceId: 'seven' } }))
    const signature = await signPayload({ body: next, secret })
    const nextHeaders = { ...headers, 'service-signature': signature }
    expect(await strict.receive({ headers: nextHeaders, body: next })).toMatchObject({ outcome: 'accepted' })
    await Promise.all([strict.start(), strict.start()])
    await vi.waitFor(
      async () => expect(await strict.inspect('evt_1')).toMatchObject({ state: 'dead' }),
      10_000,
    )
    expect(await strict.inspect('evt_1')).toMatchObject({
      failures: 1,
      lastError: 'invalid_data: data.evidenceId (expected string)',
    })
    expect(await strict.list({ state: 'dead' })).toHaveLength(1)
    await vi.waitFor(
      async () => expect(await strict.inspect('evt_2')).toMatchObject({ state: 'done' }),
      10_000,
    )
    await strict.stop()
    expect(seen).toEqual([{ evidenceId: 'seven' }])
    expect(results.filter(({ outcome }) => outcome === 'quarantined')).toMatchObject([
      { eventId: 'evt_1', code: 'invalid_data' },
    ])
    seen.length = 0

    const mended = receiverWith(z.number())
    await mended.start()
    expect(await mended.replay('evt_1', { reason: 'the schema was wrong', actor: 'a test' })).toBe(1)
    await vi.waitFor(
      async () => expect(await mended.inspect('evt_1')).toMatchObject({ state: 'done' }),
      10_000,
    )
    expect(seen).toEqual([{ evidenceId: 7 }])
    await mended.stop()
    await store.close()
  })

  it('is dead immediately if its body can no longer be read', async () => {
    const store = sqliteStore(join(folder, 'unreadable.sqlite'))
    const receiverThat = (inexactNumbers: 'round' | 'refuse') =>
      createReceiver({
        secret,
        store,
        inexactNumbers,
        queue: localQueue({ pollSeconds: 0.05, retry: { firstPauseSeconds: 3600 } }),
        fallback: () => {},
        logger: false,
      })
    const body = Buffer.from(JSON.stringify(event).replace('7', '90071992547409930001'))
    const headers = {
      'content-type': 'application/json',
      'service-signature': await signPayload({ body, secret }),
    }
    expect(await receiverThat('round').receive({ headers, body })).toMatchObject({ outcome: 'accepted' })
    const strict = receiverThat('refuse')
    await strict.start()
    await vi.waitFor(
      async () => expect(await strict.inspect('evt_1')).toMatchObject({ state: 'dead' }),
      10_000,
    )
    expect((await strict.inspect('evt_1'))?.lastError).toMatch(/^invalid_data: /)
    await strict.stop()
    await store.close()
  })
})
