import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import express from 'express'
// @ts-expect-error The alias has no types of its own.
import express4 from 'express4'
import fastify from 'fastify'
import Koa from 'koa'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Receiver } from 'webhook-inbox'
import { consolePlugin, type RequestOfFastify } from '../src/fastify.js'
import { consoleFetch } from '../src/fetch.js'
import { addSlash } from '../src/guard/page-scripts.js'
import { consoleHandler } from '../src/index.js'
import { consoleMiddleware, type KoaContext } from '../src/koa.js'
import { openStream } from './open-stream.js'
import { act, listen, openFilledInbox } from './rig.js'

type Mount = (receiver: Receiver) => Promise<string>

/** Each framework mounts the console below /ops/console, and takes the user from a header. */
const frameworks: readonly (readonly [name: string, mount: Mount])[] = [
  ...(
    [
      ['Express 5', express],
      ['Express 4', express4 as unknown as typeof express],
    ] as const
  ).map(
    ([name, make]) =>
      [
        name,
        (receiver: Receiver) => {
          const app = make()
          app.use('/ops/console', consoleHandler(receiver, options(userOf)))
          app.get('/ops/console/outside', (_request, response) => void response.send('outside'))
          app.get('/other', (_request, response) => void response.send('other'))
          return listen(app)
        },
      ] as const,
  ),
  [
    'Express 5 behind express.json()',
    (receiver) => {
      const app = express()
      app.use(express.json())
      app.use('/ops/console', consoleHandler(receiver, options(userOf)))
      app.get('/other', (_request, response) => void response.send('other'))
      return listen(app)
    },
  ],
  [
    'a nested router of Express 5',
    (receiver) => {
      const app = express()
      const router = express.Router()
      router.use('/console', consoleHandler(receiver, options(userOf)))
      app.use('/ops', router)
      app.get('/other', (_request, response) => void response.send('other'))
      return listen(app)
    },
  ],
  [
    'node:http',
    (receiver) => {
      const handle = consoleHandler(receiver, {
        path: '/ops/console',
        ...options(userOf),
      })
      return listen((request, response) => void handle(request, response, () => response.end('other')))
    },
  ],
  [
    'Fastify',
    async (receiver) => {
      const app = fastify()
      app.get('/other', async () => 'other')
      await app.register(
        async (scope) => {
          await scope.register(consolePlugin, {
            prefix: '/console',
            receiver,
            ...options(({ raw }: RequestOfFastify) => userOf(raw)),
          })
        },
        { prefix: '/ops' },
      )
      onTestFinished(() => app.close())
      return app.listen({ port: 0, host: '127.0.0.1' })
    },
  ],
  [
    'Koa',
    (receiver) => {
      const app = new Koa()
      app.use(
        consoleMiddleware(receiver, {
          path: '/ops/console',
          ...options(({ req }: KoaContext) => userOf(req)),
        }),
      )
      app.use((context) => {
        context.body = 'other'
      })
      return listen(app.callback())
    },
  ],
  [
    'fetch',
    async (receiver) => {
      const handle = consoleFetch(receiver, {
        path: '/ops/console',
        ...options((request: Request) => request.headers.get('x-user')),
      })
      const server = serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: (request) =>
          new URL(request.url).pathname.startsWith('/ops/console') ? handle(request) : new Response('other'),
      })
      await new Promise((resolve) => server.once('listening', resolve))
      onTestFinished(() => void server.close())
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
  ],
]

const userOf = ({ headers }: IncomingMessage) => headers['x-user']

/** Ada may do everything, everybody else nothing. The actor is the user. */
function options<Request>(userOf: (request: Request) => unknown) {
  return {
    authorize: (request: Request) => userOf(request) === 'operator',
    actor: (request: Request) => String(userOf(request)),
    logger: { info() {}, warn() {}, error() {} },
  }
}

const asOperator = { 'X-User': 'operator' }

describe.each(frameworks)('on %s', (_, mount) => {
  it('views and acts work below the prefix, for who may, and other routes stay', async () => {
    const { receiver } = await openFilledInbox()
    const url = await mount(receiver)
    const api = `${url}/ops/console/api`
    expect((await fetch(`${api}/events`)).status).toBe(403)
    const { rows } = (await (await fetch(`${api}/events?state=dead`, { headers: asOperator })).json()) as {
      rows: { id: string }[]
    }
    expect(rows.map(({ id }) => id)).toEqual(['evt_dead'])
    const refused = await fetch(`${api}/events/evt_dead/replay`, act('a test'))
    expect(refused.status).toBe(403)
    const replayed = await fetch(`${api}/events/evt_dead/replay`, act('naïve – test', asOperator))
    expect([replayed.status, await replayed.json()]).toEqual([200, { generation: 1 }])
    expect(await receiver.audits()).toMatchObject([{ actor: 'operator', reason: 'naïve – test' }])
    expect(await (await fetch(`${url}/other`)).text()).toBe('other')
  })

  it('finds an event whose id has every sign that a path has', async () => {
    const inbox = await openFilledInbox()
    const id = 'evt_/a b?c#d%2F..&<b>'
    const event = { id, type: 'ledger.noted', created_at: '2026-01-01T00:00:00Z', data: {} }
    await inbox.sendRaw(JSON.stringify(event))
    await inbox.until(({ dead }) => dead === 2)
    const url = await mount(inbox.receiver)
    const found = await fetch(`${url}/ops/console/api/events/${encodeURIComponent(id)}`, {
      headers: asOperator,
    })
    expect([found.status, await found.json()]).toMatchObject([200, { id }])
  })

  it('serves the page without the last slash too, with the script that adds it', async () => {
    const { receiver } = await openFilledInbox()
    const url = await mount(receiver)
    for (const path of ['/ops/console', '/ops/console?x=1', '/ops/console/']) {
      const response = await fetch(url + path, { headers: asOperator, redirect: 'manual' })
      const isPage = (await response.text()).includes(`<script>${addSlash}</script></head>`)
      expect([path, response.status, isPage]).toEqual([path, 200, true])
    }
  })

  it('sends a change to a reader of the stream, and one that was missed to a reader that comes back', async () => {
    const inbox = await openFilledInbox()
    const url = await mount(inbox.receiver)
    const first = await openStream(`${url}/ops/console/api/stream`, asOperator)
    const { id } = await first.next()
    await inbox.send('transfer.settled', {}, 'evt_new')
    const change = await first.next()
    expect(change.id).not.toBe(id)
    expect(Date.parse(change.data.at)).toBeGreaterThan(0)
    await first.close()
    const again = await openStream(`${url}/ops/console/api/stream`, { ...asOperator, 'Last-Event-ID': id })
    expect((await again.next()).id).not.toBe(id)
    await again.close()
  })
})

it('works behind a proxy that removes a prefix', async () => {
  const { receiver } = await openFilledInbox()
  const app = express()
  app.use('/console', consoleHandler(receiver, options(userOf)))
  const inner = new URL(await listen(app))
  const outer = await listen((request, response) => {
    const path = (request.url ?? '').replace('/team/payments', '')
    const headers = { ...request.headers, host: inner.host, 'x-forwarded-host': request.headers.host }
    fetch(inner.origin + path, { headers: headers as never, redirect: 'manual' })
      .then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers))
        response.end(await answer.text())
      })
      .catch(() => response.destroy())
  })
  const page = await fetch(`${outer}/team/payments/console`, { headers: asOperator, redirect: 'manual' })
  expect(page.status).toBe(200)
  const events = await fetch(`${outer}/team/payments/console/api/events`, { headers: asOperator })
  expect(events.status).toBe(200)
})

it('leaves a path that only begins like its own to the next handler', async () => {
  const { receiver } = await openFilledInbox()
  const handle = consoleHandler(receiver, { path: '/console', ...options(userOf) })
  const url = await listen((request, response) => void handle(request, response, () => response.end('other')))
  for (const path of ['/consoles', '/console-2/api/events', '/consoleapi/me']) {
    const response = await fetch(url + path, { headers: asOperator })
    expect([path, response.status, await response.text()]).toEqual([path, 200, 'other'])
  }
})

it('answers 404 outside of its path where there is no next handler', async () => {
  const { receiver } = await openFilledInbox()
  const handle = consoleHandler(receiver, {
    path: '/console',
    authorize: () => true,
    actor: () => 'operator',
  })
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const path of ['/', '/consoles', '/api/events', '/console/../api/events']) {
    expect([path, (await fetch(url + path)).status]).toEqual([path, 404])
  }
})
