import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface TcpProxy {
  readonly port: number
  /** Delays each chunk by this many milliseconds, in both directions. */
  delay(ms: number): void
  /** Splits chunks into single bytes. */
  crumble(isOn: boolean): void
  /** Breaks every connection. New connections work. */
  cut(): void
  /**
   * Drops all data of the present connections without closing them, as a router does that has lost its state. New
   * connections work.
   */
  forget(): void
  /** Closes forgotten connections on the side of the server, as its keepalive does. Clients notice nothing. */
  expire(): void
  /** Holds back the data of all connections, new ones included, until `release`, as a network partition does. */
  hold(): void
  /** Does the same for the replies of the server only. */
  holdReplies(): void
  release(): void
  close(): Promise<void>
}

/** A proxy before a local server. It disturbs connections as networks do. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const links = new Set<Link>()
  let delayMs = 0
  let isCrumbling = false
  let gate: { opened: Promise<void>; open: () => void; isForReplies: boolean } | undefined

  const server = createServer((client) => {
    const link: Link = { client, server: connect(target, '127.0.0.1'), isForgotten: false }
    links.add(link)
    for (const socket of [client, link.server]) {
      socket.setNoDelay(true)
    }
    relay(link, client, link.server)
    relay(link, link.server, client)
  })

  function relay(link: Link, from: Socket, to: Socket): void {
    // One promise chain per direction keeps the bytes in order.
    let chain = Promise.resolve()
    from.on('data', (chunk) => {
      chain = chain.then(async () => {
        if (delayMs > 0) {
          await sleep(delayMs)
        }
        if (!gate?.isForReplies || from === link.server) {
          await gate?.opened
        }
        if (isCrumbling) {
          await crumbs(link, to, chunk)
        } else if (!link.isForgotten && to.writable) {
          to.write(chunk)
        }
      })
    })
    const end = () => {
      if (link.isForgotten) {
        return
      }
      links.delete(link)
      link.client.destroy()
      link.server.destroy()
    }
    from.on('error', end)
    from.on('close', end)
  }

  async function crumbs(link: Link, to: Socket, chunk: Buffer): Promise<void> {
    for (const byte of chunk) {
      if (!link.isForgotten && to.writable) {
        to.write(Buffer.of(byte))
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  const destroy = (link: Link) => {
    link.client.destroy()
    link.server.destroy()
  }

  function close(isForReplies: boolean): void {
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    gate = { opened, open, isForReplies }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    delay(ms) {
      delayMs = ms
    },
    crumble(isOn) {
      isCrumbling = isOn
    },
    cut() {
      for (const link of links) {
        destroy(link)
      }
    },
    forget() {
      for (const link of links) {
        link.isForgotten = true
      }
    },
    expire() {
      for (const link of links) {
        if (link.isForgotten) {
          link.server.destroy()
        }
      }
    },
    hold: () => close(false),
    holdReplies: () => close(true),
    release() {
      gate?.open()
      gate = undefined
    },
    async close() {
      gate?.open()
      for (const link of links) {
        destroy(link)
      }
      server.close()
      await once(server, 'close')
    },
  }
}

interface Link {
  readonly client: Socket
  readonly server: Socket
  isForgotten: boolean
}
