import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { shapeA, startTestSandbox } from '../rig.js'

const wallet = { owner: 'cus_ada', currency: 'KES' }

describe('authentication', () => {
  test.each([
    ['no header', {}],
    ['Basic', { Authorization: 'Basic c2tfc2FuZGJveF9sb2NhbDo=' }],
    ['another key', { Authorization: 'Bearer sk_sandbox_other' }],
    ['an empty key', { Authorization: 'Bearer ' }],
    ['two keys', { Authorization: 'Bearer sk_sandbox_local, Bearer sk_sandbox_local' }],
    ['the key without its scheme', { Authorization: 'sk_sandbox_local' }],
  ])('rejects %s with 401 and a challenge', async (name, headers) => {
    const sandbox = await startTestSandbox()
    const response = await fetch(`${sandbox.url}/v1/wallets`, { headers: headers as Record<string, string> })
    expect(response.status).toBe(401)
    const challenge = name === 'no header' ? 'Bearer' : 'Bearer error="invalid_token"'
    expect(response.headers.get('www-authenticate')).toBe(challenge)
    expect(await response.json()).toMatchObject({ code: 'unauthorized', status: 401 })
  })

  test('rejects the header given twice, whichever of the two has the key', async () => {
    const sandbox = await startTestSandbox()
    const { port, host } = new URL(sandbox.url)
    const good = `Bearer ${sandbox.apiKey}`
    for (const values of [
      [good, good],
      [good, 'Bearer other'],
      ['Bearer other', good],
    ]) {
      const socket = connect(Number(port), '127.0.0.1')
      const headers = values.map((value) => `Authorization: ${value}\r\n`).join('')
      socket.write(`GET /v1/wallets HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`)
      const answer = await new Promise<string>((resolve) =>
        socket.once('data', (data) => resolve(String(data))),
      )
      socket.destroy()
      expect([values, answer.slice(0, 12)]).toEqual([values, 'HTTP/1.1 401'])
    }
  })

  test('takes the scheme in any case', async () => {
    const sandbox = await startTestSandbox()
    for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
      const headers = { Authorization: `${scheme} ${sandbox.apiKey}` }
      expect((await fetch(`${sandbox.url}/v1/wallets`, { headers })).status).toBe(200)
    }
  })

  test('lets the read-only key read and nothing else', async () => {
    const sandbox = await startTestSandbox()
    const headers = { Authorization: 'Bearer sk_sandbox_readonly' }
    expect((await sandbox.request('GET', '/v1/wallets', undefined, headers)).status).toBe(200)
    const post = await sandbox.post('/v1/wallets', wallet, headers)
    expect([post.status, post.body.code]).toEqual([403, 'forbidden'])
    const remove = await sandbox.request('DELETE', '/webhook-subscriptions/whe_1', undefined, headers)
    expect(remove.status).toBe(403)
  })

  test('takes the key of the options', async () => {
    const sandbox = await startTestSandbox({ apiKey: 'my-key' })
    expect((await sandbox.get('/v1/wallets')).status).toBe(200)
    const headers = { Authorization: 'Bearer sk_sandbox_local' }
    expect((await sandbox.request('GET', '/v1/wallets', undefined, headers)).status).toBe(401)
  })

  test('comes before every other check, and the others follow in their order', async () => {
    const sandbox = await startTestSandbox()
    const bad = { type: 'text/plain', body: '{' }
    const send = async (key: string, type: string, body: string) => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type }
      return (await sandbox.request('POST', '/v1/transfers', body, headers)).status
    }
    expect(await send('wrong', bad.type, bad.body)).toBe(401)
    expect(await send(sandbox.apiKey, bad.type, bad.body)).toBe(415)
    expect(await send(sandbox.apiKey, 'application/json', bad.body)).toBe(400)
    expect(await send(sandbox.apiKey, 'application/json', '{}')).toBe(422)
    const poor = JSON.stringify(shapeA('sim_settle', { amount: '1000000.01' }))
    const { body } = await sandbox.post('/v1/transfers', poor)
    expect(body.code).toBe('insufficient_funds')
  })
})
