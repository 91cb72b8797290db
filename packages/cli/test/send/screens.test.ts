import { describe, expect, it } from 'vitest'
import { webhookInbox } from '../in-process.js'
import { env, type Received, save, send, useFolder } from './sender.js'

useFolder()

const processed = '{"outcome":"processed"}'
const rejected = '{"outcome":"rejected","code":"stale"}'

describe('send shows', () => {
  it.each<[string, string[], Parameters<typeof send>[1], number, string[]]>([
    [
      'one answer',
      [],
      [[200, processed]],
      0,
      ['transfer.settled evt_ID -> URL', '  200  N ms  processed  as expected', `      ${processed}`],
    ],
    [
      'an answer without a body',
      [],
      [[204]],
      0,
      ['transfer.settled evt_ID -> URL', '  204  N ms  as expected'],
    ],
    [
      'a wrong answer',
      [],
      [[401, rejected]],
      1,
      ['transfer.settled evt_ID -> URL', '  401  N ms  rejected stale  expected a 2xx', `      ${rejected}`],
    ],
    [
      'several answers, one of them wrong',
      ['--times', '3'],
      [[200, processed], [500, 'no'], [200]],
      1,
      [
        'transfer.settled evt_ID -> URL',
        '   1  200  N ms  processed  as expected',
        `      ${processed}`,
        '   2  500  N ms  expected a 2xx',
        '      no',
        '   3  200  N ms  as expected',
      ],
    ],
    [
      'a rejection that is expected',
      ['--tamper'],
      [[400, 'null']],
      0,
      ['transfer.settled evt_ID -> URL', '  400  N ms  as expected', '      null'],
    ],
    [
      'an acknowledgement that is not',
      ['--stale'],
      [[200, '{"outcome":7,"code":"odd"}']],
      1,
      [
        'transfer.settled evt_ID -> URL',
        '  200  N ms  odd  expected a 4xx',
        '      {"outcome":7,"code":"odd"}',
      ],
    ],
    [
      'a failure that is not a rejection',
      ['--stale'],
      [[500]],
      1,
      ['transfer.settled evt_ID -> URL', '  500  N ms  expected a 4xx'],
    ],
    ['a redirect', [], [[302, '']], 1, ['transfer.settled evt_ID -> URL', '  302  N ms  expected a 2xx']],
    [
      'the beginning of a long answer',
      [],
      [[200, `{"outcome":"${'x'.repeat(2100)}"}`]],
      0,
      [
        'transfer.settled evt_ID -> URL',
        `  200  N ms  ${'x'.repeat(79)}…  as expected`,
        `      {"outcome":"${'x'.repeat(1987)}…`,
      ],
    ],
  ])('%s', async (_, args, answers, code, out) => {
    expect(await send(['transfer.settled', ...args], answers)).toMatchObject({ code, out, err: [] })
  })

  it('JSON lines with --json', async () => {
    const { out } = await send(
      ['transfer.settled', '--json', '--times', '2'],
      [
        [200, processed],
        [500, ''],
      ],
    )
    expect(out).toEqual([
      `{"turn":1,"status":200,"milliseconds":0,"verdict":"processed","body":${JSON.stringify(processed)},"expected":"a 2xx","isExpected":true}`,
      '{"turn":2,"status":500,"milliseconds":0,"body":"","expected":"a 2xx","isExpected":false}',
    ])
  })

  it('colors in a terminal', async () => {
    const { out } = await send(
      ['transfer.settled', '--times', '2'],
      [
        [200, 'a'],
        [500, ''],
      ],
      { columns: 80 },
    )
    expect(out).toEqual([
      '\u001b[1mtransfer.settled evt_ID\u001b[22m -> URL',
      '   1  200  N ms  \u001b[32mas expected\u001b[39m',
      '\u001b[2m      a\u001b[22m',
      '   2  500  N ms  \u001b[31mexpected a 2xx\u001b[39m',
    ])
  })
})

describe('concurrent deliveries of one event', () => {
  const deferred = 'a 2xx, or 409 or 503 while the event is in work'
  it.each([
    [409, 0, true],
    [503, 0, true],
    [299, 0, true],
    [500, 1, false],
    [408, 1, false],
    [502, 1, false],
  ])('may be answered with %i: status %i', async (status, code, isExpected) => {
    const result = await send(['transfer.settled', '--times', '3', '--concurrent', '--json'], [[status]])
    const answers = result.out.map((line) => JSON.parse(line))
    expect(result.code).toBe(code)
    expect(answers.map(({ turn }) => turn)).toEqual([1, 2, 3])
    expect(answers).toMatchObject(Array(3).fill({ status, isExpected, expected: deferred }))
    expect(new Set(result.received.map(({ id }) => id)).size).toBe(1)
  })

  it('is one delivery without --times', async () => {
    const { code, out } = await send(['transfer.settled', '--concurrent'], [[409]])
    expect([code, out[1]]).toEqual([1, '  409  N ms  expected a 2xx'])
  })
})

describe('send signs', () => {
  const ageOf = ({ signature }: Received) => Date.now() / 1000 - Number(/^t=(\d+)/.exec(signature)?.[1])

  it('now, or longer ago than the tolerance', async () => {
    const [now] = (await send(['a.b'])).received
    expect(Math.abs(ageOf(now as Received))).toBeLessThan(30)
    const [stale] = (await send(['a.b', '--stale'])).received
    expect(ageOf(stale as Received)).toBeGreaterThan(358)
    expect(ageOf(stale as Received)).toBeLessThan(390)
    const [older] = (await send(['a.b', '--stale', '--tolerance', '1000.5s'])).received
    expect(ageOf(older as Received)).toBeGreaterThan(1059)
    expect(ageOf(older as Received)).toBeLessThan(1090)
  })

  it('with the headers that are given, and its own', async () => {
    const [first] = (await send(['a.b', '--header', 'X-Key: k', '--header', 'service-signature: mine']))
      .received
    expect(first?.headers['x-key']).toBe('k')
    expect(first?.signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
    const scheme = ['--scheme', 'content=id.timestamp.body,encoding=base64']
    const [other] = (await send(['a.b', ...scheme])).received
    expect(other?.signature).toMatch(/^t=\d+,v1=[\w+/]{43}=$/)
  })

  it('a changed body that was empty', async () => {
    const empty = await save('empty.json', '')
    const { received, out } = await send([empty, '--tamper'], [[400]])
    expect([received[0]?.body, received[0]?.id]).toEqual([' ', undefined])
    expect(out[0]).toBe('empty.json -> URL')
  })

  it('a body with one changed byte', async () => {
    const file = await save('event.json', '{"id":"evt_1"}')
    const { received } = await send([file, '--tamper'], [[400]])
    expect(received[0]?.body).not.toBe('{"id":"evt_1"}')
    expect(received[0]?.id).toBe('evt_1')
  })
})

describe('send stops', () => {
  it('at the first delivery without an answer, with status 3', async () => {
    const { code, stdout, stderr } = await webhookInbox(
      ['send', 'transfer.settled', '--to', 'http://127.0.0.1:9/', '--times', '3', '--json'],
      { env },
    )
    const problem = 'nothing listens at 127.0.0.1:9; start the receiver or correct the port'
    expect(code).toBe(3)
    expect(stdout).toBe(`${JSON.stringify({ turn: 1, expected: 'a 2xx', isExpected: false, problem })}\n`)
    expect(stderr).toBe(`webhook-inbox: ${problem}\n`)
  })
})
