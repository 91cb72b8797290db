import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/**
 * A proxy before Postgres. It passes on a COMMIT, or another statement that the pattern matches, and then breaks the
 * connection instead of passing on the reply.
 */
export async function startCommitCutter(target: number, pattern = /commit/i) {
  let isArmed: boolean | 'once' = false
  let cuts = 0
  const sockets = new Set<{ destroy(): unknown }>()

  const proxy = createServer((client) => {
    const server = connect(target, '127.0.0.1')
    let isCommitting = false
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        server.destroy()
      })
    }
    client.on('data', (chunk) => {
      if (isArmed && pattern.test(chunk.toString('latin1'))) {
        isCommitting = true
        isArmed = isArmed !== 'once'
      }
      server.write(chunk)
    })
    server.on('data', (chunk) => {
      if (!isCommitting) {
        client.write(chunk)
        return
      }
      cuts++
      client.destroy()
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')

  return {
    port: (proxy.address() as { port: number }).port,
    /** `once` cuts only the next one. */
    arm(isOn: boolean | 'once') {
      isArmed = isOn
    },
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) {
        socket.destroy()
      }
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
