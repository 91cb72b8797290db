import { expect, it } from 'vitest'
import { diagnose, discoverScheme } from '../src/index.js'
import { body, decodedKey, digest, event, good, now, secret, sign } from './delivery.js'
import { inBase64 } from './faults/fault.js'
import { pretty, text } from './faults/json.js'

const codes = async (input: Parameters<typeof diagnose>[0]) =>
  (await diagnose(input)).causes.map(({ code }) => code)

it('a search finds five corrections, and what it sees without a search', async () => {
  const header = `"t=${now},v1=${inBase64(digest(body, decodedKey, `evt_1.${now}.`))}"`
  expect(await codes({ ...good, header, body: Buffer.from(pretty) })).toEqual([
    'header_quoted',
    'signed_content',
    'secret_prefix_kept',
    'key_encoding',
    'body_reformatted',
    'signature_encoding',
  ])
})

it('a delivery with another cause beside its scheme still gets the line for the scheme', async () => {
  const header = `"t=${now},v1=${inBase64(digest(body, secret.secret, `${now}.`))}"`
  const { causes, schemeLine } = await diagnose({ ...good, header })
  expect(causes.map(({ code }) => code)).toEqual(['header_quoted', 'signature_encoding'])
  expect(schemeLine).toBe("scheme: { encoding: 'base64' },")
})

it('a search that ends at a match leaves nothing out', async () => {
  const { search } = await diagnose({ ...good, header: `"${good.header}"` })
  expect(search.leftOut).toEqual([])
})

it('a good delivery of a scheme that signs the id is accepted', async () => {
  const header = sign(body, secret.secret, now, `evt_1.${now}.`)
  const diagnosis = await diagnose({ ...good, header, scheme: { content: 'id.timestamp.body' } })
  expect(diagnosis).toMatchObject({ isAccepted: true, causes: [] })
})

it('a right signature under another tag is no signature', async () => {
  const header = `t=${now},v1=${'0'.repeat(64)},v0=${good.header.slice(-64)}`
  expect(await codes({ ...good, header })).toEqual([])
})

it.each([
  ['beside an empty header', ['', `"${good.header}"`], ['header_quoted']],
  [
    'with sixteen signatures',
    `"t=${now}${',v1=00'.repeat(15)},${good.header.split(',')[1]}"`,
    ['header_quoted'],
  ],
  ['in the last of three that were joined', `t=1,v1=00,t=2,v1=00,${good.header}`, ['header_repeated']],
])('a header is read %s', async (_, header, expected) => {
  expect(await codes({ ...good, header })).toEqual(expected)
})

it.each([
  [101, ['body_reformatted']],
  [102, []],
])('JSON of %d nested arrays has the causes %j', async (depth, expected) => {
  const data = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown
  const [given, signed] = [JSON.stringify(data, undefined, 2), JSON.stringify(data)]
  const found = await codes({
    ...good,
    id: undefined,
    body: Buffer.from(given),
    header: sign(signed, secret.secret, now),
  })
  expect(found).toEqual(expected)
})

it.each(['evt.1', 'evt 1', 'zoë'])(
  'no id that could be mistaken is taken for a part of what was signed: %s',
  async (id) => {
    const named = Buffer.from(text.replace('evt_1', id))
    const header = sign(named, secret.secret, now, `${id}.${now}.`)
    expect(await codes({ ...good, body: named, header, id })).not.toContain('signed_content')
  },
)

it('the search for a scheme names a prefix only if the secret has it', async () => {
  const plain = { name: 'PLAIN', secret: 'a secret without a prefix'.replaceAll(' ', '_') }
  const header = sign(body, plain.secret, now)
  const found = await discoverScheme({ body, header, id: event.id, secrets: [plain] })
  expect(found.map(({ scheme }) => scheme.keyPrefix)).toEqual([''])
})
