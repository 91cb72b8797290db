import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Mounted } from './rig.js'

/** Starts a server on a free local port. Its `close` also closes keep-alive connections. */
export async function listen(
  server: http.Server | http.RequestListener,
  path = '/webhooks',
): Promise<Mounted> {
  const listening = typeof server === 'function' ? http.createServer(server) : server
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const { port } = listening.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${path}`,
    close: () =>
      new Promise<void>((resolve) => {
        listening.close(() => resolve())
        listening.closeAllConnections()
      }),
  }
}
