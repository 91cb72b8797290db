import { describe, expect, it, onTestFinished } from 'vitest'
import type { CaseResult } from '../../src/check/case.js'
import { webhookInbox } from '../in-process.js'
import { http } from '../servers.js'
import { type ReceivedEvent, ReceiverByHand, secret, serve } from './receiver-by-hand.js'

/** Answers each request with this status, once its body has arrived. */
const always = (status: number, body: string) =>
  http((request, response) => {
    request.resume().once('end', () => response.writeHead(status).end(body))
  })

const check = (url: string, ...args: string[]) =>
  webhookInbox(['check', url, '--timeout', '60s', '--skip', 'slow-upload', ...args], {
    env: { WEBHOOK_SECRET: secret },
  })

async function resultsAt(url: string): Promise<CaseResult[]> {
  const { code, stdout } = await check(url, '--json')
  expect(code).toBe(1)
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CaseResult)
  expect(results[0]).toMatchObject({ id: 'valid-delivery', verdict: 'fail' })
  return results
}

async function failedAt(url: string): Promise<CaseResult[]> {
  const results = await resultsAt(url)
  return results.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
}

describe('an endpoint that acknowledges nothing has one cause, which comes first:', () => {
  it.each([
    [404, 'Not Found', 'nothing answers at this path', 'Check the path'],
    [
      401,
      '{"outcome":"rejected","code":"signature_mismatch"}',
      'takes every delivery for a forgery',
      'WEBHOOK_SECRET',
    ],
    [403, 'no', 'takes every delivery for a forgery', '--header'],
    [401, '{"code":"timestamp_out_of_tolerance"}', 'takes a new timestamp for an old one', 'Synchronize'],
    [400, 'no', 'every valid delivery is rejected', '--event'],
    [302, '', 'it redirects every delivery', 'Give the URL'],
    [
      500,
      '{"outcome":"failed","code":"body_already_read"}',
      'a body parser such as express.json()',
      'Mount the receiver before the parser',
    ],
    [400, '{"code":"environment_not_allowed"}', 'does not accept events of this environment', '--production'],
    [500, '{"code":"handler_failed"}', 'fails on every valid delivery', '--event'],
    [500, '{"code":"constructor"}', 'fails on every valid delivery', 'in the log of the endpoint'],
  ])('%s %s', async (status, body, why, advice) => {
    const results = await resultsAt(await always(status as number, body as string))
    // A pass would prove nothing either, except about the URL and the answers themselves.
    const isOfReceiver = ({ id, group }: CaseResult) => id !== 'https' && group !== 'answers'
    const found = results.filter((each) => each.verdict !== 'skip' && isOfReceiver(each))
    expect(found.map(({ id }) => id)).toEqual(['valid-delivery'])
    expect(found[0]?.why).toContain(why)
    expect(found[0]?.advice).toContain(advice)
  })

  it('a wrong secret', async () => {
    class Other extends ReceiverByHand {
      override secrets = ['whsec_of_another_endpoint']
    }
    const { url, close } = await serve(new Other())
    onTestFinished(close)
    const { code, stdout } = await check(url)
    expect(code).toBe(1)
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'accepts',
      expect.stringMatching(/FAIL {2}valid-delivery/),
    ])
    expect(stdout.match(/FAIL|warn /g)).toHaveLength(1)
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /Failed: valid-delivery Skipped, because no valid delivery is acknowledged \(\d+ cases\): valid-camel-case, /,
    )
  })
})

it('a fault of another kind is still reported beside the one cause', async () => {
  // It answers with the secret.
  const url = await always(401, `wrong: ${secret}`)
  const ids = (await failedAt(url)).map(({ id }) => id)
  expect(ids[0]).toBe('valid-delivery')
  expect(ids.length).toBeGreaterThan(1)
})

describe('one cause is reported once if some deliveries end otherwise:', () => {
  it('the handler fails on the sample event alone', async () => {
    class Picky extends ReceiverByHand {
      override work(event: ReceivedEvent) {
        if (event.type === 'transfer.settled') {
          throw new Error('no such account')
        }
        return super.work(event)
      }
    }
    const { url, close } = await serve(new Picky())
    onTestFinished(close)
    expect((await failedAt(url)).map(({ id }) => id)).toEqual(['valid-delivery'])
  })

  it('a body parser runs first, so that only signed deliveries fail with its code', async () => {
    const url = await http((request, response) => {
      const isSigned = request.headers['service-signature'] !== undefined
      const answer = isSigned ? [500, 'body_already_read'] : [401, 'missing_signature']
      const [status, code] = request.method === 'POST' ? answer : [405, 'method_not_allowed']
      request.resume().once('end', () => response.writeHead(status as number).end(JSON.stringify({ code })))
    })
    expect((await failedAt(url)).map(({ id }) => id)).toEqual(['valid-delivery'])
  })

  it('but a valid delivery that fails for another cause is a fault of its own', async () => {
    const url = await http((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.once('end', () => {
        const isOther = Buffer.concat(parts).includes('ledger.matched')
        const code = isOther ? 'store_unavailable' : 'handler_failed'
        response.writeHead(isOther ? 503 : 500).end(JSON.stringify({ code }))
      })
    })
    expect((await failedAt(url)).map(({ id }) => id)).toContain('out-of-order')
  })
})
