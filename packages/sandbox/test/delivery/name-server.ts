import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import type { Resolve } from '../../src/delivery/address-guard.js'

export interface NameServer {
  /** What every name resolves to from now on. */
  addresses: string[]
  readonly resolve: Resolve
}

/** A DNS server on loopback that answers every question with `addresses` (IPv4), to be changed at will. */
export async function nameServer(...addresses: string[]): Promise<NameServer> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  onTestFinished(() => {
    socket.close()
  })
  const server: NameServer = {
    addresses,
    resolve: (hostname, _, done) => {
      resolver.resolve4(hostname, (error, found) => {
        done(
          error,
          (found ?? []).map((address) => ({ address, family: 4 })),
        )
      })
    },
  }
  socket.on('message', (query, { port, address }) =>
    socket.send(answer(query, server.addresses), port, address),
  )
  return server
}

/** RFC 1035, 4.1: the question again, then one A record for each address, its name a pointer to the question. */
function answer(query: Buffer, addresses: readonly string[]): Buffer {
  const question = query.subarray(12, query.indexOf(0, 12) + 5)
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  )
  return Buffer.concat([header, question, ...records])
}
