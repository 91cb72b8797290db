import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface TcpProxy {
  readonly port: number
  /** How long each chunk is held back, in ms, each way. */
  delay(ms: number): void
  /** Whether chunks arrive one byte at a time, as over the worst of lines. */
  crumble(isOn: boolean): void
  /** Breaks every connection; new ones are let in. */
  cut(): void
  /**
   * What is said over the connections there are is heard by no one from now on, and no one is told: as when a router
   * forgets them. Connections made later are not concerned.
   */
  forget(): void
  /** The server finds out about what was forgotten, as its keepalive does in time. The clients still hear nothing. */
  expire(): void
  /** Holds every connection back, new ones too, until `release`: as when a network comes apart and back together. */
  hold(): void
  /** The same for what the server answers only. */
  holdReplies(): void
  release(): void
  close(): Promise<void>
}

/** A proxy before a server on this machine that does to connections what networks do. */
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
    // One chain a direction keeps the bytes in order however long each is held back.
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
