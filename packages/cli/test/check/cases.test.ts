import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { groups } from '../../src/check/case.js'
import { casesByGroup } from '../../src/check/cases/index.js'
import { Endpoint } from '../../src/check/endpoint.js'
import { selectCases } from '../../src/check/select.js'
import { http } from '../servers.js'
import { secret } from './receiver-by-hand.js'

type Answer = (request: IncomingMessage, turn: number) => number | 'hangs' | 'resets'

describe('the cases', () => {
  it('are all of the groups, in their order', () => {
    expect(selectCases().map(({ id }) => id)).toEqual(
      groups.flatMap((group) => casesByGroup[group].map(({ id }) => id)),
    )
    expect(selectCases()[0]).toMatchObject({ id: 'valid-camel-case', group: 'accepts' })
    expect(selectCases({ only: ['https', 'bytes'] }).map(({ group }) => group)).toEqual([
      ...casesByGroup.bytes.map(() => 'bytes'),
      'connections',
    ])
    expect(selectCases({ only: ['bytes'], skip: ['escapes', 'unicode'] })).toHaveLength(
      casesByGroup.bytes.length - 2,
    )
    expect(selectCases({ skip: [...groups] })).toEqual([])
    expect(selectCases({ only: [] })).toEqual([])
  })

  it('with a rejection prove nothing at an endpoint that rejects all', () => {
    const isOfRejection = (group: string) => group === 'rejects' || group === 'bodies'
    for (const { id, group, expectsRefusal } of selectCases()) {
      expect([id, expectsRefusal === true]).toEqual([id, isOfRejection(group) || id === 'late-replay'])
    }
  })

  it('do not include other names', () => {
    for (const given of [{ only: ['none'] }, { skip: ['https', 'none'] }]) {
      expect(() => selectCases(given)).toThrow(
        expect.objectContaining({
          message: 'there is no case or group named none',
          given: 'none',
          known: expect.arrayContaining(['accepts', 'answers', 'https']),
        }),
      )
    }
  })

  const run = async (id: string, answer: Answer, options: object = {}) => {
    let turn = 0
    const url = await http(async (request: IncomingMessage, response: ServerResponse) => {
      const status = answer(request, ++turn)
      if (status === 'resets') {
        request.socket.resetAndDestroy()
        return
      }
      await request.toArray().catch(() => {})
      if (status !== 'hangs') {
        response.writeHead(status).end('ok')
      }
    })
    const endpoint = new Endpoint({ url: new URL(url), secret, timeoutSeconds: 0.5, ...options })
    const [found] = selectCases({ only: [id] })
    const { wrongAnswer: _, ...finding } = (await found?.run(endpoint)) ?? { wrongAnswer: 0 }
    return finding
  }

  it('with a huge body warn of a closed connection, and fail without an answer', async () => {
    expect(await run('too-large', () => 'resets')).toEqual({
      verdict: 'warn',
      received: 'the connection was closed without a response',
      why: 'a sender cannot tell a closed connection from an outage',
    })
    expect(await run('too-large', () => 'hangs')).toEqual({
      verdict: 'fail',
      received: 'no response within 0.5 s',
      why: 'no response arrived',
    })
  })

  it('of a moved timestamp are left out where the scheme does not sign it', async () => {
    expect(await run('tampered-time', () => 200, { scheme: { content: 'body' } })).toEqual({
      verdict: 'skip',
      received: 'nothing was sent',
      why: 'this scheme does not sign t',
    })
  })

  it('with eight concurrent deliveries wait until one is acknowledged', async () => {
    const deferred: Answer = (_, turn) => (turn === 1 || turn > 9 ? 200 : 503)
    expect(await run('eight-at-once', deferred, { timeoutSeconds: 20 })).toEqual({
      verdict: 'pass',
      received: '1 x 200, 7 x 503',
      why: 'whether the handler ran once cannot be seen from outside; see --probe',
    })
    expect(await run('eight-at-once', () => 200, { timeoutSeconds: 20, probe: 'http://x/{id}' })).toEqual({
      verdict: 'pass',
      received: '8 x 200',
    })
  })

  it('of a repeated event say what a pass does not prove', async () => {
    const why = 'whether the handler ran once cannot be seen from outside; see --probe'
    expect(await run('duplicate', () => 200)).toMatchObject({ verdict: 'pass', why })
    expect(await run('duplicate', () => 200, { probe: 'http://x/{id}' })).not.toHaveProperty('why')
    expect(await run('duplicate', (_, turn) => (turn === 3 ? 500 : 200))).toMatchObject({
      verdict: 'fail',
      received: expect.stringMatching(/^delivery 3: 500 in/),
    })
  })

  it('of an earlier event try again where the later one was deferred', async () => {
    expect(await run('out-of-order', (_, turn) => (turn === 1 ? 503 : 200))).toMatchObject({
      verdict: 'pass',
    })
    expect(await run('out-of-order', (_, turn) => (turn === 2 ? 503 : 200))).toMatchObject({
      verdict: 'fail',
      received: expect.stringMatching(/^transfer\.settled: 503/),
    })
  })

  it('of other content say what became of it', async () => {
    expect(await run('other-content', () => 200)).toMatchObject({
      verdict: 'warn',
      why: 'it was acknowledged; the other content was dropped, or processed',
    })
    expect(await run('other-content', (_, turn) => (turn === 1 ? 200 : 409))).toMatchObject({
      verdict: 'pass',
    })
  })

  it('of a replay need a first delivery that is acknowledged', async () => {
    expect(await run('late-replay', () => 500)).toMatchObject({
      verdict: 'fail',
      received: expect.stringMatching(/^the first: 500 in/),
    })
  })
})
