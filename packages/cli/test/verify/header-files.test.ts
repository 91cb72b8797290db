import { describe, expect, it } from 'vitest'
import { parseCurl, parseHar, parseHeaders } from '../../src/verify/capture.js'
import { HeaderList } from '../../src/verify/header-list.js'

const refusal = (message: string) => expect.objectContaining({ name: 'UsageError', message })

describe('headers', () => {
  it.each<[string, string[], [string, string][]]>([
    [
      'one a line',
      ['A: 1', 'b:2', 'C:'],
      [
        ['A', '1'],
        ['b', '2'],
        ['C', ''],
      ],
    ],
    [
      'with space around values',
      ['A: \t 1 2\t ', 'B:   '],
      [
        ['A', '1 2'],
        ['B', ''],
      ],
    ],
    ['with empty lines', ['', ' ', 'A: 1', '\t'], [['A', '1']]],
    ['with colons in values', ['A: b:c'], [['A', 'b:c']]],
  ])('%s', (_, given, entries) => {
    expect(HeaderList.fromLines('FILE', given).entries).toEqual(entries)
  })

  it.each(['no colon', ': 1', 'a b: 1', ' A: 1', 'A : 1'])('rejects the line %j', (line) => {
    expect(() => HeaderList.fromLines('FILE', ['A: 1', line])).toThrow(
      refusal('FILE has a line that is no header (Name: value)'),
    )
  })

  it('are found by their lower-case names, all or the first', () => {
    const list = new HeaderList([
      ['X-A', '1'],
      ['x-b', '2'],
      ['x-a', '3'],
    ])
    expect([list.all('x-a'), list.one('x-a'), list.all('x-c'), list.one('x-c')]).toEqual([
      ['1', '3'],
      '1',
      [],
      undefined,
    ])
  })

  it.each([
    ['t=1,v1=00', true],
    ['t=123 , v12=00', true],
    ['x;t=1,v1=0', true],
    ['xt=1,v1=0', false],
    ['t=,v1=0', false],
    ['t=1,v=0', false],
    ['t=1;v1=0', false],
    ['t=1,v1', false],
  ])('look like the signature header: %s', (value, looks) => {
    const list = new HeaderList([
      ['X-Copy', value],
      ['SERVICE-SIGNATURE', value],
    ])
    expect(list.lookalikes()).toEqual(looks ? ['X-Copy'] : [])
  })

  it.each<[string, string, [string, string][]]>([
    [
      'as lines',
      'A: 1\r\nB: 2\n',
      [
        ['A', '1'],
        ['B', '2'],
      ],
    ],
    [
      'as JSON',
      ' {"a":"1","b":["2",3],"c":4}',
      [
        ['a', '1'],
        ['b', '2'],
        ['b', '3'],
        ['c', '4'],
      ],
    ],
  ])('in a file, %s', (_, text, entries) => {
    expect(parseHeaders('FILE', text).entries).toEqual(entries)
  })

  it.each([
    ['{', 'FILE begins with { but is not JSON'],
    ['{"a":null}', 'FILE has a header a that is neither text nor a number'],
    ['{"a":["1",{}]}', 'FILE has a header a that is neither text nor a number'],
    ['[]', 'FILE has a line that is no header (Name: value)'],
  ])('in a file are not %s', (text, message) => {
    expect(() => parseHeaders('FILE', text)).toThrow(refusal(message))
  })
})

describe('the output of curl -v', () => {
  it('has the headers after the request line', () => {
    const text =
      '* Connected\r\n> POST /w HTTP/1.1\r\n> A: 1\r\n12:34:56.789012 > B: 2\n>C: 3\nx> D: 4\n< E: 5\n> \n'
    expect(parseCurl('FILE', text)).toEqual({
      headers: new HeaderList([
        ['A', '1'],
        ['B', '2'],
      ]),
      notes: [],
    })
  })

  it.each(['', '< HTTP/1.1 200 OK', '>POST', '12:34:56 > POST', 'x12:34:56.1 > POST'])(
    'is not %j',
    (text) => {
      expect(() => parseCurl('FILE', text)).toThrow(
        refusal('FILE has no line that begins with “> ”, as curl -v prints them'),
      )
    },
  )
})

describe('a HAR file', () => {
  const plain = { headers: [{ name: 'A', value: '1' }] }
  const signed = {
    headers: [{ name: 'Service-Signature', value: 's' }, { name: 'B', value: 7 }, null],
    postData: { text: 'Zoë' },
  }
  const inBase64 = { headers: [], postData: { text: 'Wm8=', encoding: 'base64' } }
  const har = (entries: unknown) => JSON.stringify({ log: { entries } })
  const all = har([{ request: plain }, { request: signed }, { request: inBase64 }, {}, null])

  it.each<[string, string, number | undefined, string[][], string]>([
    ['the first signed entry', all, undefined, [['Service-Signature', 's']], 'Zoë'],
    ['the entry of a number', all, 1, [['A', '1']], ''],
    ['a body in base64', all, 3, [], 'Zo'],
    ['an entry without a request', all, 4, [], ''],
    ['an entry that is null', all, 5, [], ''],
    ['the first entry if none is signed', har([{ request: plain }]), undefined, [['A', '1']], ''],
    ['one entry alone', JSON.stringify({ request: signed }), undefined, [['Service-Signature', 's']], 'Zoë'],
    [
      'a request alone, after a byte order mark',
      `\ufeff${JSON.stringify(signed)}`,
      undefined,
      [['Service-Signature', 's']],
      'Zoë',
    ],
    [
      'headers that are no list',
      har([{ request: { headers: 5, postData: { text: 7 } } }]),
      undefined,
      [],
      '',
    ],
  ])('has %s', (_, text, entry, headers, body) => {
    const found = parseHar('FILE', text, entry)
    expect([found.headers.entries, String(found.body), found.notes]).toEqual([headers, body, []])
  })

  it.each<[string, string, number | undefined, string]>([
    ['a number too high', all, 6, 'FILE has 5 entries, and none with this number'],
    ['no entries', har([]), undefined, 'FILE has 0 entries, and none with this number'],
    ['no JSON', '{', undefined, 'FILE is not JSON, as a HAR file is'],
    ['no list', har({}), undefined, 'FILE is no HAR file: it has no log.entries'],
    ['nothing', 'null', undefined, 'FILE is no HAR file: it has no log.entries'],
    ['a log of nothing', '{"log":null}', undefined, 'FILE is no HAR file: it has no log.entries'],
    [
      'a request of nothing',
      '{"request":{"headers":{}}}',
      undefined,
      'FILE is no HAR file: it has no log.entries',
    ],
  ])('is not one with %s', (_, text, entry, message) => {
    expect(() => parseHar('FILE', text, entry)).toThrow(refusal(message))
  })
})
