import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SignedBody } from '../../src/testing/delivery.js'

/** The ways to send a delivery to the receiver. */
export type Manner = 'plain' | 'lost answer' | 'byte by byte' | 'reset' | 'half open'

export interface Answer {
  readonly status: number
  readonly body: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
/** Sends one delivery. Resolves to the response, if one arrives. */
export function deliver(
  port: number,
  { headers, body }: SignedBody,
  manner: Manner,
  patienceMs: number,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const call = request({
      port,
      host: '127.0.0.1',
      path: '/webhooks',
      method: 'POST',
      headers: { ...headers, 'content-length': body.length },
      agent: manner === 'plain' ? agent : false,
      timeout: patienceMs,
    })
    call.on('error', () => resolve(undefined))
    call.on('timeout', () => call.destroy())
    call.on('close', () => resolve(undefined))
    call.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', () => resolve(undefined))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
      )
    })
    void carry(call, body, manner, () => resolve(undefined))
  })
}

async function carry(
  call: ReturnType<typeof request>,
  body: Buffer,
  manner: Manner,
  giveUp: () => void,
): Promise<void> {
  switch (manner) {
    case 'plain':
      call.end(body)
      return
    case 'lost answer':
      // Long enough for the receiver to get it, and sometimes to run it.
      call.end(body)
      await sleep(Math.random() * 60)
      call.destroy()
      return
    case 'byte by byte':
      for (const byte of body) {
        if (call.destroyed) {
          return
        }
        call.write(Buffer.of(byte))
        if (byte % 16 === 0) {
          await sleep(1)
        }
      }
      call.end()
      return
    case 'reset':
      call.write(body.subarray(0, body.length / 2))
      await sleep(5)
      call.socket?.resetAndDestroy()
      return
    case 'half open':
      // The sender is gone without a reset: its socket stays open, and the rest never arrives.
      call.write(body.subarray(0, body.length / 2))
      giveUp()
      await sleep(3000)
      call.destroy()
  }
}
