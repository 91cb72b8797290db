import { expect, it } from 'vitest'
import { type DiagnoseInput, diagnose, discoverScheme, schemeLine } from '../src/index.js'
import { good, secret, sign } from './delivery.js'

const rejection = (message: string) => ({ code: 'invalid_option', message: expect.stringContaining(message) })

it.each<[string, object | undefined]>([
  ['body must be the raw bytes', undefined],
  ['body must be the raw bytes', { ...good, body: '{}' }],
  ['header must be a string', { ...good, header: 5 }],
  ['header must be a string', { ...good, header: [good.header, null] }],
  ['secret must be an object with a name and a secret', { ...good, secret: secret.secret }],
  ['secret must be an object with a name and a secret', { ...good, secret: undefined }],
  ['secret must be an object with a name and a secret', { ...good, secret: { name: 'mine' } }],
  ['now must be unix seconds', { ...good, now: '1' }],
  ['now must be unix seconds', { ...good, now: Number.NaN }],
  ['otherSecrets must be a list', { ...good, otherSecrets: secret }],
  ['otherDeliveries must be a list', { ...good, otherDeliveries: good }],
])('a diagnosis says that %s', async (message, input) => {
  await expect(diagnose(input as DiagnoseInput)).rejects.toMatchObject(rejection(message))
})

const secretsMustBe = 'secrets must be a list of objects with a name and a secret'

it.each<[string, object | undefined]>([
  ['body must be the raw bytes', undefined],
  ['body must be the raw bytes', { ...good, body: '{}', secrets: [secret] }],
  ['header must be a string', { ...good, header: [5], secrets: [secret] }],
  [secretsMustBe, good],
  [secretsMustBe, { ...good, secrets: [secret, null] }],
  [secretsMustBe, { ...good, secrets: [secret.secret] }],
])('a search for a scheme says that %s', async (message, input) => {
  await expect(discoverScheme(input as never)).rejects.toMatchObject(rejection(message))
})

it.each([
  ['scheme must be an object', null],
  ['scheme must be an object', 'hex'],
  ['scheme.encoding must be a string', { encoding: 5 }],
])('a line of a scheme says that %s', (message, scheme) => {
  expect(() => schemeLine(scheme as never)).toThrow(expect.objectContaining(rejection(message)))
})

it('a delivery without a header is no error', async () => {
  expect(await diagnose({ ...good, header: undefined })).toMatchObject({ code: 'missing_signature' })
  expect(await discoverScheme({ ...good, header: undefined, secrets: [secret] })).toEqual([])
})

it('a diagnosis without a time judges by the clock of this machine', async () => {
  const { now: _, ...withoutNow } = good
  const header = sign(good.body, secret.secret, Math.floor(Date.now() / 1000))
  expect(await diagnose({ ...withoutNow, header })).toMatchObject({ isAccepted: true, causes: [] })
  const { causes } = await diagnose({ ...withoutNow, header: sign(good.body, secret.secret, 1_700_000_000) })
  expect(causes.map(({ code }) => code)).toEqual(['timestamp_too_old'])
})
