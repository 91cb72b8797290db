import { afterAll, expect, it, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import type { Telemetry } from '../../src/telemetry/telemetry.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { delivery, settled } from './deliver.js'
import { common, patiently, recorder, traceparent } from './telemetry-recorder.js'

afterAll(removeFiles)

it('what telemetry keeps beside an event is what the run of a queue finds', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({
    ...common,
    store: sqliteStore(newFile()),
    queue: localQueue(),
    fallback: () => {},
    telemetry,
  })
  await receiver.start()
  await receiver.receive(await delivery(settled, { headers: { traceparent } }))
  await vi.waitFor(() => expect(told.ran).toHaveLength(1), patiently)
  await receiver.receive(await delivery(settled))
  await receiver.stop()

  expect(told.storing).toMatchObject([{ senderTrace: traceparent }, { senderTrace: undefined }])
  expect(told.stored).toEqual([{ state: 'accepted' }, { state: 'duplicate' }])
  expect(told.running).toMatchObject([
    { source: 'queue', traceContext: 'context of evt_1', senderTrace: undefined },
  ])
  expect(told.ran).toMatchObject([{ result: { outcome: 'processed', source: 'queue' } }])
  expect((told.ran as { lagSeconds: number }[])[0]?.lagSeconds).toBeGreaterThan(0)
  expect(told.delivered).toHaveLength(2)
})

it('a context is kept if it is text of at most 512 characters', async () => {
  const run = vi.fn()
  for (const given of ['x'.repeat(512), 'x'.repeat(513), 7]) {
    const store = sqliteStore(newFile())
    const telemetry = {
      storing: () => ({ traceContext: given }),
      running: ({ traceContext }: { traceContext?: string }) => void run(traceContext),
    } as unknown as Telemetry
    const receiver = createReceiver({ ...common, store, queue: localQueue(), fallback: () => {}, telemetry })
    await receiver.receive(await delivery())
    const calls = run.mock.calls.length
    await receiver.start()
    await vi.waitFor(() => expect(run.mock.calls.length).toBeGreaterThan(calls), patiently)
    await receiver.stop()
  }
  expect(run.mock.calls).toEqual([['x'.repeat(512)], [undefined], [undefined]])
})

it('a trace that was sent twice is no trace', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback: () => {}, telemetry })
  await receiver.receive(await delivery(settled, { headers: { traceparent: [traceparent, traceparent] } }))
  expect(told.running).toMatchObject([{ senderTrace: undefined }])
})

it('storing() alone gets the trace of the sender', async () => {
  const storing = vi.fn()
  const options = { ...common, store: sqliteStore(newFile()), queue: localQueue(), fallback: () => {} }
  const receiver = createReceiver({ ...options, telemetry: { storing } })
  await receiver.receive(await delivery(settled, { headers: { traceparent } }))
  expect(storing.mock.calls).toMatchObject([[{ senderTrace: traceparent }]])
})
