import { expect, it } from 'vitest'
import type { Endpoint } from '../../src/check/endpoint.js'
import { selectCases } from '../../src/check/select.js'

/** No endpoint of a test has an address of another machine. The case looks at the URL alone. */
const verdictOf = async (url: string) => {
  const [found] = selectCases({ only: ['https'] })
  return await found?.run({ options: { url: new URL(url) } } as Endpoint)
}

it.each([
  ['https://example.com/webhooks', 'pass', undefined],
  ['https://127.0.0.1/webhooks', 'pass', undefined],
  ['http://127.0.0.1:3000/webhooks', 'pass', 'plain http is fine on this machine alone'],
  ['http://[::1]:3000/webhooks', 'pass', 'plain http is fine on this machine alone'],
  ['http://localhost:3000/webhooks', 'pass', 'plain http is fine on this machine alone'],
  ['http://example.com/webhooks', 'fail', 'anyone on the way reads the events'],
  ['http://localhost.example.com/webhooks', 'fail', 'anyone on the way reads the events'],
  ['http://10.0.0.1/webhooks', 'fail', 'anyone on the way reads the events'],
])('the case https judges %s: %s', async (url, verdict, why) => {
  const received = `the URL starts with ${new URL(url).protocol}//`
  expect(await verdictOf(url)).toEqual({ verdict, received, ...(why && { why }) })
})
