/**
 * Uses the installed package as a user’s program does, with only Node: no test runner, no compiler, no import from the
 * repository. The tests beside it copy it to the package, and run it on every supported release of Node, on Bun and on Deno.
 */
import assert from 'node:assert/strict'
import { createServer, request as httpRequest } from 'node:http'
import { createRequire } from 'node:module'
import * as core from 'webhook-inbox'
import { fetchHandler } from 'webhook-inbox/fetch'
import { lambdaHandler } from 'webhook-inbox/lambda'
import { nodeHandler } from 'webhook-inbox/node'
import { camel, snake, vectors } from './samples.mjs'

const { createReceiver, memoryStore, parseEvent, signPayload, verifySignature } = core
const secret = 'whsec_test_secret'
const now = 1_700_000_000

/** A receiver with a fixed clock, and the events of its handlers. */
function setUp() {
  const seen = []
  const receiver = createReceiver({
    secret: [secret, 'whsec_old_secret_'],
    store: memoryStore(),
    handlers: {
      async 'transfer.settled'(event) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        seen.push(event)
      },
      'transfer.failed'() {
        throw new Error('the ledger is closed')
      },
    },
    now: () => now,
    logger: false,
  })
  return { receiver, seen }
}

async function signed(body, { timestamp = now, key = secret } = {}) {
  return {
    'content-type': 'application/json',
    'service-signature': await signPayload({ body, secret: key, timestamp }),
    'service-event-id': body === '' ? 'evt_none' : JSON.parse(body).id,
  }
}

const bytes = (text) => new TextEncoder().encode(text)

const cases = {
  async 'the signatures of openssl'() {
    for (const [body, signature] of vectors) {
      const header = `t=${now},v1=${signature}`
      assert.equal(await signPayload({ body, secret, timestamp: now }), header)
      const verified = await verifySignature({ body: bytes(body), header, secret: ['other', secret], now })
      assert.deepEqual(verified, { timestamp: now, secretIndex: 1 })
    }
  },

  async 'coded errors of the right classes'() {
    const header = `t=${now},v1=${'0'.repeat(64)}`
    const refused = verifySignature({ body: camel, header, secret, now })
    await assert.rejects(refused, { name: 'VerificationError', code: 'signature_mismatch' })
    await assert.rejects(refused, core.VerificationError)
    assert.throws(() => parseEvent(bytes('[]')), { name: 'PayloadError', code: 'invalid_envelope' })
    assert.throws(() => createReceiver({ secret: ' ', store: memoryStore(), fallback() {} }), {
      name: 'ConfigurationError',
      code: 'invalid_secret',
    })
  },

  async 'both envelopes, once each, and every rejection'() {
    const { receiver, seen } = setUp()
    const receive = async (body, headers) => {
      const { status, body: answer } = await receiver.receive({ headers, body: bytes(body) })
      return [status, JSON.parse(answer)]
    }
    await verdicts(receive)
    assert.equal(seen.length, 2)
    assert.deepEqual(
      seen.map(({ id, representation, data }) => [id, representation, data.transferId]),
      [
        ['evt_01HZX4', 'camelCase', 'tr_1'],
        ['7f3c', 'snake_case', 'tr_2'],
      ],
    )
    assert.deepEqual(seen[1].data.metadata, { customer_ref: 'é' })
    assert.deepEqual(Buffer.from(seen[1].raw), Buffer.from(snake))
  },

  async 'twins at the same moment run once'() {
    const { receiver, seen } = setUp()
    const headers = await signed(camel)
    const twins = Array.from({ length: 50 }, () => receiver.receive({ headers, body: bytes(camel) }))
    const outcomes = (await Promise.all(twins)).map(({ outcome }) => outcome)
    assert.equal(outcomes.filter((outcome) => outcome === 'processed').length, 1)
    assert.equal(outcomes.filter((outcome) => outcome === 'duplicate').length, 49)
    assert.equal(seen.length, 1)
  },

  async 'a fetch handler'() {
    const { receiver, seen } = setUp()
    const handle = fetchHandler(receiver)
    await verdicts(async (body, headers) => {
      const response = await handle(
        new Request('http://localhost/webhooks', { method: 'POST', headers, body }),
      )
      return [response.status, await response.json()]
    })
    assert.equal(seen.length, 2)
  },

  async 'a Lambda function'() {
    const { receiver, seen } = setUp()
    const handle = lambdaHandler(receiver)
    await verdicts(async (body, headers) => {
      const answer = await handle({
        version: '2.0',
        rawPath: '/webhooks',
        rawQueryString: '',
        headers,
        requestContext: { http: { method: 'POST' } },
        body: Buffer.from(body).toString('base64'),
        isBase64Encoded: true,
      })
      return [answer.statusCode, JSON.parse(answer.body)]
    })
    assert.equal(seen.length, 2)
  },

  async 'a server of node:http, over a socket'() {
    const { receiver, seen } = setUp()
    const server = createServer(nodeHandler(receiver))
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address()
    try {
      await verdicts((body, headers) => post(port, headers, [body]))
      await verdictsInPieces(port)
      assert.equal(seen.length, 3)
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  },

  async 'require, to the same objects as import'() {
    const required = createRequire(import.meta.url)('webhook-inbox')
    assert.equal(required.createReceiver, createReceiver)
    assert.deepEqual(Object.keys(required).sort(), Object.keys(core).sort())
  },
}

/** Checks the responses of one way to a receiver. `deliver` resolves to the status and the parsed body. */
async function verdicts(deliver) {
  const tampered = camel.replace('settled', 'settle_')
  const failing = camel.replace('transfer.settled', 'transfer.failed').replace('evt_01HZX4', 'evt_failing')
  const { 'service-signature': _, ...unsigned } = await signed(camel)

  const told = async (body, headers) => {
    const [status, { outcome, code }] = await deliver(body, headers)
    return [status, code ?? outcome]
  }
  assert.deepEqual(await told(camel, unsigned), [401, 'missing_signature'])
  assert.deepEqual(await told(tampered, await signed(camel)), [401, 'signature_mismatch'])
  assert.deepEqual(await told(camel, await signed(camel, { timestamp: now - 301 })), [
    401,
    'timestamp_out_of_tolerance',
  ])
  assert.deepEqual(await told(camel, await signed(camel, { timestamp: now + 301 })), [
    401,
    'timestamp_out_of_tolerance',
  ])
  assert.deepEqual(await told(camel, { ...(await signed(camel)), 'service-event-id': 'evt_other' }), [
    400,
    'event_id_mismatch',
  ])
  assert.deepEqual(await told(failing, await signed(failing)), [500, 'handler_failed'])
  assert.deepEqual(await told(camel, await signed(camel, { timestamp: now - 300 })), [200, 'processed'])
  assert.deepEqual(await told(camel, await signed(camel, { key: 'whsec_old_secret_' })), [200, 'duplicate'])
  assert.deepEqual(await told(snake, await signed(snake)), [200, 'processed'])
  assert.deepEqual(await told(snake, await signed(snake)), [200, 'duplicate'])
}

async function verdictsInPieces(port) {
  const body = camel.replace('evt_01HZX4', 'evt_pieces')
  const pieces = Array.from(bytes(body), (byte) => Uint8Array.of(byte))
  assert.deepEqual(await post(port, await signed(body), pieces), [
    200,
    { outcome: 'processed', eventId: 'evt_pieces' },
  ])
  const large = 'x'.repeat(1_048_577)
  const { 'content-type': type, 'service-signature': signature } = await signed('')
  const [status, { code }] = await post(port, { 'content-type': type, 'service-signature': signature }, [
    large,
  ])
  assert.deepEqual([status, code], [413, 'body_too_large'])
}

/** Sends one delivery over its own socket, one chunk per piece. */
function post(port, headers, pieces) {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/webhooks',
      headers,
      agent: false,
    })
    request.on('error', reject)
    request.on('response', async (response) => {
      const chunks = []
      for await (const chunk of response) {
        chunks.push(chunk)
      }
      resolve([response.statusCode, JSON.parse(Buffer.concat(chunks).toString())])
    })
    request.setNoDelay(true)
    for (const piece of pieces) {
      request.write(piece)
    }
    request.end()
  })
}

for (const [name, run] of Object.entries(cases)) {
  await run()
  console.log(`ok: ${name}`)
}
console.log(`${Object.keys(cases).length} passed on Node ${process.versions.node}`)
