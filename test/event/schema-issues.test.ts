import { expect, it } from 'vitest'
import { idOfBody } from '../../src/event/parse.js'
import { checkData, type StandardSchema } from '../../src/event/standard-schema.js'
import { unhandledRejections } from '../receiver/unhandled.js'

const unhandled = unhandledRejections()

/** The detail of the rejection of these data by a schema with this issue. */
async function detailOf(issue: object, data: unknown): Promise<unknown> {
  const schema: StandardSchema = {
    '~standard': { version: 1, vendor: 'x', validate: () => ({ issues: [{ message: 'no', ...issue }] }) },
  }
  const checked = (async () => checkData('x', data, { x: schema }, []))()
  return checked.catch((error: { detail: unknown }) => error.detail)
}

it.each(['expected', 'values', 'options', 'message'])(
  'a promise that rejects as %s ends no process',
  async (name) => {
    process.on('unhandledRejection', unhandled)
    const rejected = () => Promise.reject(new Error('later'))
    expect(await detailOf({ [name]: rejected() }, {})).toBe('data')
    expect(await detailOf({ [name]: [rejected()] }, {})).toBe('data')
  },
)

it('a path is cut after 50 keys', async () => {
  const path = Array.from({ length: 60 }, (_, i) => `k${i}`)
  expect(await detailOf({ path }, {})).toBe(['data', ...path.slice(0, 50)].join('.'))
})

it('a path that leads through null names its place', async () => {
  expect(await detailOf({ path: ['a', 'b'] }, { a: null })).toBe('data.a.b')
})

it('the id of a body that is no event is read only if it has the form of one', () => {
  const idOf = (text: string) => idOfBody(new TextEncoder().encode(text))
  expect(idOf('{"id":"evt_1"}')).toBe('evt_1')
  for (const text of ['{"id":5}', '{}', '[]', '{']) {
    expect(idOf(text)).toBeUndefined()
  }
})
