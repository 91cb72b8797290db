import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Redirect {
  readonly port: number
  /** Sends new connections to another server, and breaks the present ones. */
  to(port: number): void
  close(): Promise<void>
}

/** An address that stays the same when the server behind it changes, as a virtual IP of a failover does. */
export async function startRedirect(first: number): Promise<Redirect> {
  let target = first
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const cut = () => {
    for (const socket of sockets) {
      socket.destroy()
    }
  }
  return {
    port: (server.address() as { port: number }).port,
    to(port) {
      target = port
      cut()
    },
    async close() {
      server.close()
      cut()
    },
  }
}
