import { describe, expect, it } from 'vitest'
import { PayloadError } from '../../src/errors.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { delivery, lines, settled } from './deliver.js'
import { throwProxy } from './edited-rig.js'
import { operationsRig } from './operations-rig.js'
import { base, receiver } from './receive.js'
import { scriptedStore } from './scripted-store.js'

const { receiverOf } = operationsRig()

it('the log says how to find the fault of a store that resolves to an unknown state', async () => {
  const logger = lines()
  const store = scriptedStore({ once: async () => ({ state: 'duplicate' }) as never })
  const odd = createReceiver({ ...base, logger, store, fallback: () => {} })
  await odd.receive(await delivery())
  expect(logger.written).toEqual([
    expect.stringMatching(
      /store_unavailable: the store resolved to an unknown state; fix: run storeSuite on it$/,
    ),
  ])
})

describe('a schema that throws', () => {
  const outcomeOf = async (thrown: () => never) => {
    const schema = { '~standard': { version: 1, vendor: 'test', validate: thrown } }
    const { outcome, code } = await receiver({ schemas: { [settled.type]: schema } } as never).receive(
      await delivery(),
    )
    return [outcome, code]
  }
  const throwing = (error: unknown) => () => {
    throw error
  }

  it.each([
    ['an error of its own', throwing(new Error('no'))],
    ['an error with a code of ours', throwing(Object.assign(new Error('no'), { code: 'invalid_data' }))],
    [
      'our error with an unknown code',
      throwing(Object.assign(new PayloadError('invalid_data'), { code: 'zzz' })),
    ],
    [
      'our error with a detail that is no text',
      throwing(Object.assign(new PayloadError('invalid_data'), { detail: 5 })),
    ],
    ['a value that cannot be inspected', throwProxy],
  ])('%s has failed', async (_, thrown) => {
    expect(await outcomeOf(thrown as () => never)).toEqual(['failed', 'handler_failed'])
  })

  it.each([
    ['a detail', new PayloadError('invalid_data', 'data.a')],
    ['no detail', new PayloadError('invalid_data')],
  ])('our error with %s rejects the event', async (_, error) => {
    const [outcome, code] = await outcomeOf(throwing(error) as () => never)
    expect([outcome, code]).toEqual(['rejected', 'invalid_data'])
  })
})

it('resource() gets a copy of the event', async () => {
  const ids: string[] = []
  const options = {
    resource(event: { id: string }) {
      ids.push(event.id)
      event.id = 'another'
      return undefined
    },
  }
  const result = await receiverOf('default', options).receive(await delivery())
  expect(ids).toEqual([settled.id])
  expect(result.event?.id).toBe(settled.id)
})

it('the log says that an event is done although its handler succeeded too late', async () => {
  const logger = lines()
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const options = { logger, store: memoryStore(), handlerTimeoutSeconds: 0.05, fallback: () => ended }
  const late = createReceiver({ ...base, ...options })
  expect(await late.receive(await delivery())).toMatchObject({ code: 'handler_timeout' })
  end()
  await expect
    .poll(() => logger.written.at(-1))
    .toBe(
      'warn webhook-inbox: event evt_1 is done: it succeeded after the time limit of 0.05 s, and that counts',
    )
})
