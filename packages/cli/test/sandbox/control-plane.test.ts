import { describe, expect, it } from 'vitest'
import { Answer, onPlane, ran } from './plane.js'

describe('an answer of the control plane', () => {
  it.each<[string, Answer, number, string]>([
    ['a detail', new Answer(404, '{"title":"Not Found","detail":"no\\nsuch"}'), 2, 'no\\nsuch'],
    ['a title alone', new Answer(400, '{"title":"Bad Request"}'), 2, 'Bad Request'],
    ['a detail of any length', new Answer(422, `{"detail":"${'x'.repeat(301)}"}`), 2, `${'x'.repeat(299)}…`],
    ['no JSON', new Answer(400, '<p>'), 3, 'ORIGIN answered 400 to clock; is it a sandbox?'],
    ['no text', new Answer(400, '{"detail":7}'), 3, 'ORIGIN answered 400 to clock; is it a sandbox?'],
    ['null', new Answer(400, 'null'), 3, 'ORIGIN answered 400 to clock; is it a sandbox?'],
    ['a fault', new Answer(500, '{"detail":"broken"}'), 3, 'ORIGIN answered 500 to clock; is it a sandbox?'],
    ['a page', new Answer(200, '<p>Hello</p>'), 3, 'ORIGIN answered 200 to clock; is it a sandbox?'],
    ['a redirect', new Answer(302, '{}'), 3, 'ORIGIN answered 302 to clock; is it a sandbox?'],
  ])('may be %s', async (_, answer, code, message) => {
    const { err, ...rest } = await ran(['clock'], { 'GET clock': answer })
    expect(rest).toEqual({ code, out: [], asked: [['GET clock']] })
    expect(err[0]).toBe(`webhook-inbox: ${message}`)
    expect(err).toHaveLength(code === 2 ? 2 : 1)
  })

  it('may be empty', async () => {
    expect((await ran(['reset'], { 'POST reset': new Answer(200, '') })).code).toBe(0)
  })
})

describe('the sandbox is found', () => {
  it('at --url, whatever the variable says', async () => {
    const { code, err, asked } = await ran(['clock', '--url', 'http://127.0.0.1:9/path'], {})
    expect([code, asked]).toEqual([3, []])
    expect(err).toEqual([
      'webhook-inbox: no sandbox answers at http://127.0.0.1:9; start one: webhook-inbox sandbox',
    ])
  })

  it.each([
    [['--url', 'localhost'], {}, '--url must be an http or https URL'],
    [[], { SANDBOX_URL: 'ftp://x' }, 'SANDBOX_URL must be an http or https URL'],
  ])('%j %j is no URL', async (args, env, message) => {
    const { code, err } = await onPlane(['clock', ...args], {}, { env })
    expect([code, err[0]]).toEqual([2, expect.stringContaining(`webhook-inbox: ${message}, such as http`)])
  })
})
