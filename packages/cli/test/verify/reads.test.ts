import { describe, expect, it } from 'vitest'
import { parseRawHttp } from '../../src/verify/raw-http.js'
import { readDelivery, readOthers } from '../../src/verify/read-delivery.js'
import { file, header, raw, save, useFolder } from './rig.js'

useFolder()

const refusal = (message: string) => expect.objectContaining({ name: 'UsageError', message })

describe('a raw HTTP request', () => {
  const parse = (text: string | Buffer) => {
    const { headers, body, notes } = parseRawHttp('FILE', Buffer.from(text))
    return { headers: headers.entries, body: String(body), notes }
  }
  const found = (headers: string[][], body: string, notes: string[] = []) => ({ headers, body, notes })

  it.each<[string, string, ReturnType<typeof found>]>([
    ['without a body', 'POST /w HTTP/1.1\r\nA: 1', found([['A', '1']], '')],
    ['with a body', 'POST /w HTTP/1.1\r\nA: 1\r\n\r\nx\n\ny', found([['A', '1']], 'x\n\ny')],
    ['with line breaks of Unix', 'POST /w\nA: 1\n\nx\r\n\r\ny', found([['A', '1']], 'x\r\n\r\ny')],
    ['without headers', 'GET / HTTP/2\r\n\r\nx', found([], 'x')],
    [
      'of a declared length',
      'POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nxy',
      found([['Content-Length', '2']], 'xy'),
    ],
    [
      'with more than its length',
      'POST / HTTP/1.1\r\ncontent-length: 1\r\n\r\nxyz',
      found([['content-length', '1']], 'x', [
        'FILE has 2 bytes more than Content-Length says; they are ignored.',
      ]),
    ],
    [
      'with less than its length',
      'POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nx',
      found([['Content-Length', '3']], 'x', [
        'FILE has 1 bytes of body, Content-Length says 3: the capture is incomplete.',
      ]),
    ],
    [
      'in chunks',
      'POST / HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n2\r\nab\r\n0A;x=1\r\n0123456789\r\n1 \r\nc\r\n0\r\n\r\n',
      found([['Transfer-Encoding', 'gzip, Chunked']], 'ab0123456789c'),
    ],
    [
      'in no chunks',
      'POST / HTTP/1.1\r\nTransfer-Encoding: unchunked\r\n\r\nx',
      found([['Transfer-Encoding', 'unchunked']], 'x'),
    ],
  ])('%s', (_, text, expected) => {
    expect(parse(text)).toEqual(expected)
  })

  it.each([
    '',
    'post / HTTP/1.1',
    'POST',
    'POST  HTTP/1.1',
    'POST / HTTP',
    'POST / HTTP/1.1 x',
    ' POST / HTTP/1.1',
    'POST / FTP/1.1',
  ])('does not begin with %j', (line) => {
    expect(() => parse(`${line}\r\nA: 1\r\n\r\n`)).toThrow(
      refusal('FILE is no raw HTTP request: its first line must be such as POST /webhooks HTTP/1.1'),
    )
  })

  it.each(['x', '-1', '1.5', '', '1'.repeat(16)])('does not have the length %j', (value) => {
    expect(() => parse(`POST / HTTP/1.1\r\nContent-Length: ${value}\r\n\r\n`)).toThrow(
      refusal('FILE has a Content-Length that is no number of bytes'),
    )
  })

  it.each([
    '',
    '5\r\nab\r\n0\r\n\r\n',
    '2ab\r\n',
    'x\r\n',
    '-1\r\n',
    '2\r\nab\r\n',
    '2\nab',
    '123456789\r\n',
    `${' '.repeat(1001)}1\r\n`,
  ])('has no chunks such as %j', (body) => {
    expect(() => parse(`POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)).toThrow(
      refusal('FILE has a chunked body that is cut off or malformed'),
    )
  })
})

describe('the delivery to verify', () => {
  const none = {
    body: undefined,
    header: undefined,
    'event-id': undefined,
    headers: undefined,
    'from-request': undefined,
    'from-curl': undefined,
    'from-har': undefined,
    entry: undefined,
  }
  const read = async (given: object) => {
    const { delivery, notes } = await readDelivery({ ...none, ...given }, {} as never)
    return { ...delivery, body: String(delivery.body), notes }
  }

  it('has a body, a header and an id', async () => {
    const path = await save('headers', 'Service-Signature: s\nService-Event-Id: evt_1')
    const body = await save('small', 'x')
    expect(await read({ body, header: 'h' })).toEqual({ body: 'x', header: 'h', id: undefined, notes: [] })
    expect(await read({ body, header: 'h', 'event-id': 'evt_2' })).toMatchObject({ id: 'evt_2' })
    expect(await read({ body, headers: path })).toEqual({ body: 'x', header: 's', id: 'evt_1', notes: [] })
    expect(await read({ body, headers: path, 'event-id': 'evt_2' })).toMatchObject({ id: 'evt_2' })
    const twice = await save('twice', 'Service-Signature: s\nservice-signature: t')
    expect(await read({ body, headers: twice })).toMatchObject({ header: ['s', 't'] })
    const unsigned = await save('unsigned', 'A: 1')
    expect(await read({ body, headers: unsigned })).toEqual({
      body: 'x',
      header: undefined,
      id: undefined,
      notes: [],
    })
    expect(await read({ body, headers: unsigned, header: 'h' })).toMatchObject({ header: 'h' })
  })

  it('may be a capture, whose body another file replaces', async () => {
    const path = await save('raw', raw('x'))
    expect(await read({ 'from-request': path })).toMatchObject({ body: 'x', header, id: 'evt_1' })
    expect(await read({ 'from-request': path, body: await save('small', 'y') })).toMatchObject({ body: 'y' })
    const har = await save('a.har', JSON.stringify({ headers: [], postData: { text: 'z' } }))
    expect(await read({ 'from-har': har, entry: '1' })).toMatchObject({ body: 'z' })
  })

  it.each<[object, string]>([
    [{ header: 'h' }, 'the body is missing: give it with --body FILE, or - for standard input'],
    [{ 'from-curl': 'curl' }, 'the body is missing: give it with --body FILE, or - for standard input'],
    [
      { body: 'small' },
      'the signature header is missing: give it with --header, or all headers with --headers FILE',
    ],
    [
      { 'from-request': 'raw', header: 'h' },
      'the signature header is given twice: by --header and by a file',
    ],
    ...['headers', 'from-curl', 'from-har'].map((name): [object, string] => [
      { 'from-request': 'raw', [name]: 'x' },
      'choose one of --headers, --from-request, --from-curl and --from-har',
    ]),
    [{ 'from-har': 'a.har', entry: '0' }, '--entry must be a whole number of at least 1'],
  ])('lacks or repeats a part: %j', async (given, message) => {
    await save('raw', raw('x'))
    await save('curl', '> POST / HTTP/1.1\n> A: 1\n')
    await save('small', 'x')
    const values = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        ['header', 'entry'].includes(name) ? value : file(value),
      ]),
    )
    await expect(read(values)).rejects.toEqual(refusal(message))
  })

  it('may be compared with others', async () => {
    const paths = [await save('one', raw('x')), await save('two', 'GET / HTTP/1.1\r\nA: 1')]
    expect(
      (await readOthers(paths, {} as never)).map((each) => ({ ...each, body: String(each.body) })),
    ).toEqual([
      { name: paths[0], body: 'x', header, id: 'evt_1' },
      { name: paths[1], body: '', header: undefined, id: undefined },
    ])
  })
})
