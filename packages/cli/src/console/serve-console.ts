import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Receiver } from 'webhook-inbox'
import { consoleHandler } from 'webhook-inbox-console'
import { UsageError } from '../exit.js'
import { userName } from '../user-name.js'

export interface ConsoleSettings {
  readonly port: number
  readonly actor?: string | undefined
  readonly environment?: string | undefined
  readonly isReadOnly?: boolean | undefined
}

/**
 * Serves the console on the loopback address, below a random path. The path is the credential. No other web page and no other
 * user of the machine can guess it, and the page sends no Referer. A browser would send a cookie to every port of this host.
 * The check of the Host header prevents DNS rebinding.
 */
export async function serveConsole(
  receiver: Receiver,
  { port, actor = userName(), environment, isReadOnly = false }: ConsoleSettings,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const path = `/${randomBytes(24).toString('base64url')}`
  const handle = consoleHandler(receiver, {
    path,
    authorize: () => true,
    actor: () => actor,
    readOnly: isReadOnly,
    ...(environment !== undefined && { environment }),
  })
  const server = createServer((request, response) => {
    const { port: bound } = server.address() as AddressInfo
    if (![`127.0.0.1:${bound}`, `localhost:${bound}`].includes(request.headers.host ?? '')) {
      response.writeHead(421).end()
      return
    }
    void handle(request, response, () => response.writeHead(404).end())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new UsageError(`port ${port} is in use`) : error)
    })
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        // An open page keeps its event stream open.
        server.closeAllConnections()
      }),
  }
}
