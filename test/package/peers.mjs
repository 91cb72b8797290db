/**
 * Uses the adapter of each peer that is installed beside this file, as a user’s program does. The test file peers.test.ts
 * installs the lowest versions that package.json declares.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { createReceiver, memoryStore, signPayload } from 'webhook-inbox'

const { dependencies } = createRequire(import.meta.url)('./package.json')
const secret = 'whsec_test_secret'
const body = JSON.stringify({
  id: 'evt_1',
  type: 'transfer.noted',
  createdAt: '2026-01-02T03:04:05Z',
  data: { note: 'é' },
})

const peers = {
  async '@aws-sdk/client-dynamodb'() {
    const { DynamoDB } = await import('@aws-sdk/client-dynamodb')
    const { dynamoStore } = await import('webhook-inbox/stores/dynamodb')
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
    const client = new DynamoDB({ endpoint: process.env.DYNAMO_URL, region: 'eu-west-1', credentials })
    await driveStore(dynamoStore({ client, table: 'webhook-inbox' }))
    client.destroy()
  },

  async '@opentelemetry/api'() {
    const { openTelemetry } = await import('webhook-inbox/opentelemetry')
    await driveStore(memoryStore(), { telemetry: openTelemetry() })
  },

  async express() {
    const { default: express } = await import('express')
    const { expressHandler, expressMiddleware } = await import('webhook-inbox/express')
    const app = express()
    app.post('/handler', expressHandler(newReceiver()))
    app.post(
      '/middleware',
      expressMiddleware({ secret, store: memoryStore(), logger: false }),
      (req, res) => {
        res.json({ id: req.webhook.event.id })
      },
    )
    await drive(createServer(app))
  },

  async koa() {
    const { default: Koa } = await import('koa')
    const { koaHandler, koaMiddleware } = await import('webhook-inbox/koa')
    const handler = koaHandler(newReceiver())
    const middleware = koaMiddleware({ secret, store: memoryStore(), logger: false })
    const app = new Koa()
    app.use((ctx, next) => {
      if (ctx.path !== '/middleware') {
        return handler(ctx, next)
      }
      return middleware(ctx, async () => {
        ctx.body = { id: ctx.state.webhook.event.id }
      })
    })
    await drive(createServer(app.callback()))
  },

  async fastify() {
    const { default: Fastify } = await import('fastify')
    const { fastifyPlugin } = await import('webhook-inbox/fastify')
    const app = Fastify()
    app.register(fastifyPlugin, { receiver: newReceiver(), path: '/handler' })
    app.register(fastifyPlugin, {
      path: '/middleware',
      secret,
      store: memoryStore(),
      logger: false,
      handler: async (request) => ({ id: request.webhook.event.id }),
    })
    await app.ready()
    await drive(app.server)
  },

  async ioredis() {
    const { Redis } = await import('ioredis')
    const { redisStore } = await import('webhook-inbox/stores/redis')
    const client = new Redis(process.env.REDIS_URL)
    await driveStore(redisStore({ client, allowVolatile: true, prefix: `${process.pid}:` }))
    await client.quit()
  },

  async redis() {
    const { createClient } = await import('redis')
    const { nodeRedis, redisStore } = await import('webhook-inbox/stores/redis')
    const client = createClient({ url: process.env.REDIS_URL, disableOfflineQueue: true })
    await client.connect()
    await driveStore(
      redisStore({ client: nodeRedis(client), allowVolatile: true, prefix: `n${process.pid}:` }),
    )
    client.destroy()
  },

  async pg() {
    const { default: pg } = await import('pg')
    const { migratePostgres, postgresStore } = await import('webhook-inbox/stores/postgres')
    const pool = new pg.Pool({ connectionString: process.env.POSTGRES_URL })
    await migratePostgres(pool)
    await driveStore(postgresStore({ pool }))
    await pool.end()
  },

  async libsql() {
    const { default: Database } = await import('libsql')
    const { sqliteStore } = await import('webhook-inbox/stores/sqlite')
    await driveStore(sqliteStore(new Database('inbox.sqlite')))
  },
}

const newReceiver = (store = memoryStore(), more = {}) =>
  createReceiver({ secret, store, fallback() {}, logger: false, ...more })

const signed = async () => ({
  'content-type': 'application/json',
  'service-signature': await signPayload({ body, secret }),
})

async function driveStore(store, more = {}) {
  const receiver = newReceiver(store, more)
  await receiver.start()
  const outcome = async () =>
    (await receiver.receive({ headers: await signed(), body: Buffer.from(body) })).outcome
  assert.deepEqual([await outcome(), await outcome()], ['processed', 'duplicate'])
  await receiver.stop()
  await store.close()
}

/** Checks the responses of both forms over a socket. */
async function drive(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const send = async (path, sent) => {
    const url = `http://127.0.0.1:${server.address().port}${path}`
    const response = await fetch(url, {
      method: 'POST',
      headers: await signed(),
      body: sent,
      signal: AbortSignal.timeout(10_000),
    })
    return [response.status, await response.json()]
  }
  const forged = [401, { outcome: 'rejected', code: 'signature_mismatch' }]
  const duplicate = [200, { outcome: 'duplicate', eventId: 'evt_1' }]
  assert.deepEqual(await send('/handler', `${body} `), forged)
  assert.deepEqual(await send('/handler', body), [200, { outcome: 'processed', eventId: 'evt_1' }])
  assert.deepEqual(await send('/handler', body), duplicate)
  assert.deepEqual(await send('/middleware', `${body} `), forged)
  assert.deepEqual(await send('/middleware', body), [200, { id: 'evt_1' }])
  assert.deepEqual(await send('/middleware', body), duplicate)
  server.close()
  server.closeAllConnections()
}

for (const name of Object.keys(dependencies).filter((each) => each in peers)) {
  await peers[name]()
  console.log(`ok: ${name}`)
}
