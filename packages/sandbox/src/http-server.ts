import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Api } from './api/app.js'
import type { Address } from './control/guard.js'
import type { Ids } from './ids.js'

/** An HTTP server for the app. If a request never reaches the app, it responds with a problem document. */
export function createHttpServer(app: Api, ids: Ids): Server {
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    errorHandler: () => {
      const { body, headers } = unreadable(ids, 400)
      return new Response(body, { status: 400, headers })
    },
  })
  // Without this, Node itself responds to a request without a Host.
  const server = createServer({ requireHostHeader: false }, listener)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answer(socket, ids, error.code ?? ''))
  return server
}

/** Resolves to the address of a server that listens. Rejects with the error of the system, such as `EADDRINUSE`. */
export function listen(server: Server, { host, port }: Address): Promise<Address> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve({ host, port: (server.address() as AddressInfo).port }))
  })
}

/** Ends every connection. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** Statuses of the errors of Node's parser. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

function answer(socket: Duplex, ids: Ids, code: string): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const status = statuses[code] ?? 400
  const { body, headers } = unreadable(ids, status)
  const lines = Object.entries({ ...headers, 'Content-Length': body.length, Connection: 'close' })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function unreadable(ids: Ids, status: number) {
  const requestId = ids.next('req')
  const body = JSON.stringify({
    type: 'about:blank',
    title: 'The request cannot be read',
    status,
    detail: 'This is not an HTTP request that the sandbox can read.',
    code: 'malformed_request',
    requestId,
  })
  const headers = {
    'Content-Type': 'application/problem+json',
    'Request-Id': requestId,
    'Sandbox-Assumption': 'G24',
  }
  return { body, headers }
}
