import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
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

describe('an accepted event that its schema refuses', () => {
  it('is tried, then dead, and runs when it is replayed under a mended schema', async () => {
    const store = sqliteStore(join(folder, 'inbox.sqlite'))
    const seen: unknown[] = []
    const receiverWith = (evidenceId: z.ZodType) =>
      createReceiver({
        secret,
        store,
        queue: localQueue({ pollSeconds: 0.05, retry: { attempts: 3, firstPauseSeconds: 0.01 } }),
        schemas: { 'evidence.exported': z.object({ evidenceId }) },
        handlers: { 'evidence.exported': ({ data }) => void seen.push(data) },
        logger: false,
      })

    const strict = receiverWith(z.string())
    const body = Buffer.from(JSON.stringify(event))
    const headers = {
      'content-type': 'application/json',
      'service-signature': await signPayload({ body, secret }),
    }
    expect(await strict.receive({ headers, body })).toMatchObject({ outcome: 'accepted' })
    await Promise.all([strict.start(), strict.start()])
    await vi.waitFor(
      async () => expect(await strict.inspect('evt_1')).toMatchObject({ state: 'dead' }),
      10_000,
    )
    expect(await strict.inspect('evt_1')).toMatchObject({
      failures: 2,
      lastError: 'invalid_data: data.evidenceId',
    })
    await strict.stop()
    expect(seen).toEqual([])

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
})
