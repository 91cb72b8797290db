import { describe, expect, it } from 'vitest'
import { save, send, useFolder } from './sender.js'

useFolder()

describe('the event that is sent', () => {
  it.each<[string, string[], string[]]>([
    ['of a known type', ['transfer.settled'], []],
    ['of another type', ['a.b'], ['a.b has no sample data; give it some with --set']],
    ['of another type with data', ['a.b', '--set', 'data.x=1'], []],
    [
      'of a misspelled type',
      ['transfer.setled'],
      ['transfer.setled has no sample data; did you mean transfer.settled?'],
    ],
    [
      'of a misspelled type with data',
      ['transfer.setled', '--set', 'data.x=1'],
      ['transfer.setled has no sample data; did you mean transfer.settled?'],
    ],
    ['without an id', ['a.b', '--set', 'id=null', '--set', 'data.x=1'], []],
  ])('%s', async (_, args, err) => {
    const result = await send(args)
    expect([result.code, result.err]).toEqual([0, err])
    const name = args.includes('id=null') ? 'a.b' : `${args[0]} evt_ID`
    expect(result.out[0]).toBe(`${name} -> URL`)
  })

  it.each<[string, string | Uint8Array, string | undefined]>([
    ['an event', '{"id":"evt_1"}', 'evt_1'],
    ['an id that is no text', '{"id":7}', undefined],
    ['an id that no header can have', '{"id":"a b"}', undefined],
    ['an id of other characters', '{"id":"é"}', undefined],
    ['an empty id', '{"id":""}', undefined],
    ['an id at the limits', '{"id":"!~"}', '!~'],
    ['an array', '["id"]', undefined],
    ['null', 'null', undefined],
    ['a number', '7', undefined],
    ['no JSON', '{"id":', undefined],
    ['bytes', Uint8Array.of(0xff, 0), undefined],
  ])('may be a file with %s', async (_, content, id) => {
    const { code, received, err, out } = await send([await save('any.json', content)])
    expect([code, err, out[0]]).toEqual([0, [], 'any.json -> URL'])
    expect(received).toMatchObject([{ body: Buffer.from(content).toString('latin1'), id }])
  })

  it.each<[string, string, string]>([
    ['a fixture', '{"headers":{},"body":"{\\"id\\":\\"evt_2\\"}"}', '{"id":"evt_2"}'],
    ['a body that is no text', '{"headers":{},"body":7}', '{"headers":{},"body":7}'],
    ['headers that are none', '{"headers":"a","body":"b"}', '{"headers":"a","body":"b"}'],
    ['an event with headers', '{"type":"a","headers":{},"body":"b"}', '{"type":"a","headers":{},"body":"b"}'],
    ['no headers', '{"body":"b"}', '{"body":"b"}'],
  ])('of a copied fixture is its body: %s', async (_, content, body) => {
    const { received } = await send([await save('fixture.json', content)])
    expect(received).toMatchObject([{ body }])
  })

  it('may be the standard input, and is named so', async () => {
    const { out, received } = await send(['-', '--set', 'n=2'], [[200]], { stdin: '{"id":"evt_1","n":1}' })
    expect(out[0]).toBe('standard input -> URL')
    expect(received).toMatchObject([{ body: '{"id":"evt_1","n":2}', id: 'evt_1' }])
  })

  it.each(['./a', 'a/b', 'A.JSON', 'a\\b', 'x.json'])('named %s is a file', async (name) => {
    const { code, err } = await send([name])
    expect([code, err[0]]).toEqual([2, `webhook-inbox: cannot read ${name}: there is no such file`])
  })

  it.each([
    ['x.jsonl', 'x.jsonl has no sample data; give it some with --set'],
    ['json', 'json has no sample data; give it some with --set'],
  ])('named %s is a type', async (name, note) => {
    expect((await send([name])).err).toEqual([note])
  })

  it.each([
    ['"n"', 'text.json is none'],
    ['[]', 'text.json is none'],
  ])('cannot be changed where it is no object: %s', async (content, reason) => {
    const { code, err } = await send([await save('text.json', content), '--set', 'a=1'])
    expect([code, err[0]]).toEqual([2, `webhook-inbox: --set needs a JSON object, and ${reason}`])
  })

  it('has the envelope that is given, which a file has already', async () => {
    const [snake] = (await send(['transfer.settled', '--envelope', 'snake'])).received
    expect(snake?.body).toContain('"created_at"')
    const [camel] = (await send(['transfer.settled', '--envelope', 'camel'])).received
    expect(camel?.body).toContain('"createdAt"')
    expect((await send(['./x', '--envelope', 'camel'])).err[0]).toBe(
      'webhook-inbox: --envelope is for a TYPE; a file has its own envelope',
    )
  })
})
