import { describe, expect, it } from 'vitest'
import { verifySignature } from 'webhook-inbox'
import { discoverScheme } from '../src/index.js'
import { body, decodedKey, digest, good, now, secret, sign } from './delivery.js'

const secrets = [{ name: 'old', secret: 'whsec_of_another_endpoint' }, secret]

const heads = { 'timestamp.body': `${now}.`, 'id.timestamp.body': `evt_1.${now}.`, body: '' } as const
const keys = [
  [{}, Buffer.from(secret.secret)],
  [{ keyPrefix: 'whsec_' }, Buffer.from(secret.secret.slice(6))],
  [{ key: 'base64', keyPrefix: 'whsec_' }, decodedKey],
] as const

const space = Object.entries(heads).flatMap(([content, head]) =>
  (['hex', 'base64', 'base64url'] as const).flatMap((encoding) =>
    keys.map(([options, key]) => ({ content, encoding, head, options, key })),
  ),
)

describe('the search for a scheme', () => {
  it.each(space)(
    'finds $content in $encoding with $options',
    async ({ content, encoding, head, options, key }) => {
      const header = `t=${now},v1=${digest(body, key, head).toString(encoding)}`
      const found = await discoverScheme({ ...good, header, secrets })
      expect(found.map((each) => each.secret)).toEqual(['WEBHOOK_SECRET'])
      expect(found[0]?.scheme).toMatchObject({ content, encoding, ...options })
      const given = { body, header, secret: secret.secret, now, id: 'evt_1' }
      await expect(verifySignature({ ...given, scheme: found[0]?.scheme as object })).resolves.toBeDefined()
    },
  )

  it('prints the line to paste, and none for the default', async () => {
    const header = `t=${now},v1=${digest(body, decodedKey, `evt_1.${now}.`).toString('base64')}`
    const [found] = await discoverScheme({ ...good, header, secrets })
    expect(found?.line).toBe(
      "scheme: { content: 'id.timestamp.body', encoding: 'base64', key: 'base64', keyPrefix: 'whsec_' },",
    )
    const [usual] = await discoverScheme({ ...good, secrets })
    expect(usual).toEqual({ scheme: expect.anything(), secret: 'WEBHOOK_SECRET' })
  })

  it.each([
    ['another body', sign('other', secret.secret, now)],
    ['no header', undefined],
    ['a header without a time', 'v1=00'],
  ])('finds none for %s', async (_, header) => {
    expect(await discoverScheme({ ...good, header, secrets })).toEqual([])
  })
})

it.each([
  null,
  {},
  { ...good, secrets: [null] },
  { ...good, secrets: 'whsec' },
  { ...good, header: 5, secrets },
])('a search in %o is rejected with a code', async (input) => {
  await expect(discoverScheme(input as never)).rejects.toMatchObject({ code: 'invalid_option' })
})
