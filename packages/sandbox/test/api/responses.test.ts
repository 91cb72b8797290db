import { describe, expect, test } from 'vitest'
import { startTestSandbox } from '../rig.js'
import { checked } from '../setup/described.js'

describe('answers', () => {
  test('are held to openapi.json in these tests', async () => {
    const sandbox = await startTestSandbox()
    const before = checked.answers
    await sandbox.get('/v1/wallets')
    await sandbox.get('/v1/nope')
    expect(checked.answers).toBe(before + 2)
  })

  test('are 429 with Retry-After above the rate of the options', async () => {
    const sandbox = await startTestSandbox({ requestsPerSecond: 2 })
    const answers = await Promise.all([1, 2, 3].map(() => sandbox.get('/v1/wallets')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429])
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toBe('1')
    expect(refused?.body.code).toBe('rate_limited')
  })

  test('are the same without a port', async () => {
    const sandbox = await startTestSandbox()
    const request = new Request('http://sandbox.test/v1/wallets/wallet_kes_ada', {
      headers: { Authorization: `Bearer ${sandbox.apiKey}` },
    })
    const response = await sandbox.fetch(request)
    expect([response.status, await response.json()]).toEqual([
      200,
      (await sandbox.get('/v1/wallets/wallet_kes_ada')).body,
    ])
  })
})
