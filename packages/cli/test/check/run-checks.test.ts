import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { CaseResult } from '../../src/check/case.js'
import { rules } from '../../src/check/rules.js'
import { type CheckOptions, runChecks } from '../../src/check/run-checks.js'
import { http } from '../servers.js'
import { secret } from './receiver-by-hand.js'

type Answer = (
  request: IncomingMessage & { readonly text: string },
  turn: number,
) => number | 'hangs' | 'resets'

/** Checks a receiver that answers each request with a status. */
async function check(answer: Answer, options: Partial<CheckOptions> = {}, body = 'ok') {
  let turn = 0
  const url = await http(async (request: IncomingMessage, response: ServerResponse) => {
    const text = Buffer.concat(await request.toArray().catch(() => [])).toString()
    const status = answer(Object.assign(request, { text }), ++turn)
    if (status === 'resets') {
      request.socket.resetAndDestroy()
    } else if (status !== 'hangs') {
      response.writeHead(status).end(body)
    }
  })
  const results: CaseResult[] = []
  const started: string[] = []
  const all = { secret, timeoutSeconds: 20, onStart: (id: string) => void started.push(id), ...options }
  for await (const result of runChecks(url, all)) {
    results.push(result)
  }
  return { results, started, deliveries: turn }
}

describe('a run of cases', () => {
  it('has a result for each, with its words and its rule', async () => {
    const { results, started, deliveries } = await check(() => 200, {
      only: ['valid-camel-case', 'unsigned'],
    })
    const [valid, unsigned] = results
    expect(started).toEqual(['valid-camel-case', 'unsigned'])
    expect(deliveries).toBe(3)
    expect(valid).toEqual({
      id: 'valid-camel-case',
      group: 'accepts',
      title: 'a valid event in camelCase is acknowledged',
      rule: 'R60',
      ruleText: rules.R60,
      sent: 'a signed event with createdAt and camelCase keys',
      verdict: 'pass',
      received: expect.stringMatching(/^200 in \d+ ms: ok$/),
      seconds: expect.any(Number),
    })
    expect(unsigned).toMatchObject({
      verdict: 'fail',
      why: 'it was acknowledged',
      advice: 'Answer 401 when the header is missing, before you read the event.',
    })
    expect(valid?.seconds).toBeLessThan(20)
    expect(unsigned).not.toHaveProperty('wrongAnswer')
  })

  it('skips what needs more than is given, and says what', async () => {
    const only = ['rotated-secret', 'sandbox-event', 'during-work', 'effect-once']
    const { results, started } = await check(() => 200, { only })
    expect(started).toEqual([])
    expect(results.map(({ id, verdict, received, why }) => [id, verdict, received, why])).toEqual([
      [
        'rotated-secret',
        'skip',
        'nothing was sent',
        'it needs the secret that is being rotated out; see --old-secret-file',
      ],
      ['sandbox-event', 'skip', 'nothing was sent', 'it is for production endpoints; see --production'],
      ['during-work', 'skip', 'nothing was sent', 'it takes time; run it with --slow'],
      ['effect-once', 'skip', 'nothing was sent', 'it needs a counter of effects; see --probe'],
    ])
    for (const result of results) {
      expect(result).not.toHaveProperty('advice')
      expect(result).not.toHaveProperty('followsFrom')
    }
    const given = {
      only,
      oldSecret: 'whsec_old',
      isProduction: true,
      slow: true,
      probe: 'http://127.0.0.1:9/{id}',
    }
    expect((await check(() => 200, given)).started).toEqual(only)
  })

  it('uses the envelope that the endpoint reads', async () => {
    const snakeAlone: Answer = ({ text }) => (text.includes('created_at') ? 200 : 400)
    const { results } = await check(snakeAlone, { only: ['accepts'] })
    expect(results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual([
      'valid-camel-case',
    ])
    const named = await check(snakeAlone, {
      only: ['valid-camel-case', 'valid-snake-case'],
      envelope: 'snake_case',
    })
    expect(named.results).toMatchObject([
      {
        id: 'valid-camel-case',
        verdict: 'skip',
        received: 'nothing was sent',
        why: '--envelope names snake_case alone',
      },
      { id: 'valid-snake-case', verdict: 'pass' },
    ])
    const camel = await check(snakeAlone, { only: ['valid-snake-case', 'unicode'], envelope: 'camelCase' })
    expect(camel.results.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['valid-delivery', 'fail'],
      ['valid-snake-case', 'skip'],
      ['unicode', 'skip'],
    ])
    expect(camel.deliveries).toBe(2)
  })

  it('reports the first answer where neither envelope is read', async () => {
    const answers: Answer = ({ text }) => (text.includes('created_at') ? 404 : 400)
    const { results } = await check(answers, { only: ['unicode', 'unsigned', 'https', 'answer-size'] })
    expect(results.map(({ id, verdict, followsFrom, why }) => [id, verdict, followsFrom, why])).toEqual(
      [
        ['valid-delivery', 'fail', undefined, 'every valid delivery is rejected'],
        ['unsigned', 'skip', 'valid-delivery', 'no valid delivery was acknowledged, so it proves nothing'],
        ['https', 'pass', undefined, 'plain http is fine on this machine alone'],
        ['answer-size', 'pass', undefined, undefined],
      ].toSpliced(1, 0, [
        'unicode',
        'skip',
        'valid-delivery',
        'no valid delivery was acknowledged, so it proves nothing',
      ]),
    )
    expect(results[0]?.received).toMatch(/^400 in/)
  })

  it('ends where nothing answers', async () => {
    const results = runChecks('http://127.0.0.1:9/', { secret })
    await expect(results.next()).rejects.toEqual(
      expect.objectContaining({
        name: 'UnreachableError',
        message: 'nothing listens at 127.0.0.1:9; start the receiver or correct the port',
      }),
    )
    await expect(runChecks('http://127.0.0.1:9/', { secret, only: ['x'] }).next()).rejects.toThrow(
      'there is no case or group named x',
    )
  })

  it('waits for no further case once the endpoint has stopped', async () => {
    const only = ['number-forms', 'escapes', 'unicode', 'https']
    const { results, deliveries } = await check((_, turn) => (turn > 1 ? 'resets' : 200), { only })
    expect(results.map(({ id, verdict, why }) => [id, verdict, why])).toEqual([
      ['number-forms', 'fail', 'a valid delivery was not acknowledged'],
      ['escapes', 'skip', 'the endpoint stopped answering after number-forms'],
      ['unicode', 'skip', 'the endpoint stopped answering after number-forms'],
      ['https', 'skip', 'the endpoint stopped answering after number-forms'],
    ])
    expect(deliveries).toBe(3)
  })

  it('goes on where the endpoint answers again', async () => {
    const only = ['number-forms', 'escapes']
    const { results } = await check((_, turn) => (turn === 2 ? 'resets' : 200), { only })
    expect(results.map(({ verdict }) => verdict)).toEqual(['fail', 'pass'])
  })
})
