import { afterAll, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { removeFiles } from '../stores/sqlite-files.js'
import { delivery, settled } from './deliver.js'
import { common, recorder } from './telemetry-recorder.js'

afterAll(removeFiles)

it('types without a handler share a label once there are a hundred', async () => {
  const { told, telemetry } = recorder()
  const handlers = { 'known.last': () => {} }
  const receiver = createReceiver<{ 'known.last': unknown }>({
    ...common,
    store: memoryStore(),
    handlers,
    telemetry,
  })
  for (let i = 0; i < 105; i++) {
    await receiver.receive(await delivery({ ...settled, id: `evt_${i}`, type: `made.up.${i}` }))
  }
  await receiver.receive(await delivery({ ...settled, id: 'evt_known', type: 'known.last' }))
  await receiver.receive(await delivery({ ...settled, id: 'evt_again', type: 'made.up.3' }))
  const types = (told.delivered as { type: string }[]).map(({ type }) => type)
  expect(new Set(types).size).toBe(102)
  expect(types.slice(-3)).toEqual(['_OTHER', 'known.last', 'made.up.3'])
})

it('a type without a handler that is longer than a hundred characters shares the label', async () => {
  const { told, telemetry } = recorder()
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback: () => {}, telemetry })
  for (const length of [100, 101]) {
    await receiver.receive(await delivery({ ...settled, id: `evt_${length}`, type: 'x'.repeat(length) }))
  }
  expect(told.delivered).toMatchObject([{ type: 'x'.repeat(100) }, { type: '_OTHER' }])
})
