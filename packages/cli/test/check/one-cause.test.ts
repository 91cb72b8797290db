import { describe, expect, it, onTestFinished } from 'vitest'
import type { CaseResult } from '../../src/check/case.js'
import { webhookInbox } from '../in-process.js'
import { http } from '../servers.js'
import { ReceiverByHand, secret, serve } from './receiver-by-hand.js'

/** Answers each request with this status, once its body has arrived. */
const always = (status: number, body: string) =>
  http((request, response) => {
    request.resume().once('end', () => response.writeHead(status).end(body))
  })

const check = (url: string, ...args: string[]) =>
  webhookInbox(['check', url, '--timeout', '60s', '--skip', 'connections', ...args], {
    env: { WEBHOOK_SECRET: secret },
  })

async function failedAt(url: string): Promise<CaseResult[]> {
  const { code, stdout } = await check(url, '--json')
  expect(code).toBe(1)
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CaseResult)
  expect(results[0]).toMatchObject({ id: 'valid-delivery', verdict: 'fail' })
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
    [500, '{"code":"constructor"}', 'fails on every valid delivery', 'in the log of the endpoint'],
  ])('%s %s', async (status, body, why, advice) => {
    const found = await failedAt(await always(status as number, body as string))
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
