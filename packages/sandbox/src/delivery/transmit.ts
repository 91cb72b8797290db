import type { ClientRequest } from 'node:http'
import type { Failure } from './failure.js'

/** How a body is sent: whole, or with a simulated fault. */
export type Transmission =
  | { readonly kind: 'whole' }
  /** Sent whole. The response is discarded when it begins. */
  | { readonly kind: 'discard_answer' }
  /** Half of the body, then a close or a reset of the connection. */
  | { readonly kind: 'truncate' | 'reset' }
  /** Small pieces over `seconds`. */
  | { readonly kind: 'trickle'; readonly seconds: number }

const pieces = 20

/** Writes the body. Calls `finish` if the transmission itself ends the attempt. */
export function transmit(
  request: ClientRequest,
  body: Uint8Array,
  transmission: Transmission,
  finish: (failure: Failure) => void,
): void {
  switch (transmission.kind) {
    case 'truncate':
      request.write(firstHalf(body), (error) => {
        if (!error) {
          finish(cut('truncate'))
        }
      })
      return
    case 'reset':
      request.write(firstHalf(body), (error) => {
        if (!error) {
          setTimeout(reset, resetAfterMilliseconds, request, finish)
        }
      })
      return
    case 'trickle':
      trickle(request, body, transmission.seconds)
      return
    default:
      request.end(body)
  }
}

export const firstHalf = (body: Uint8Array): Uint8Array => body.subarray(0, Math.floor(body.length / 2))

const cut = (code: 'truncate' | 'reset'): Failure => ({
  kind: 'chaos',
  code,
  message: 'the connection was closed after half of the body',
})

/** Lets the receiver read the first half. A receiver that gets the data and the reset together may report an ordinary end. */
const resetAfterMilliseconds = 50

/** A TLS socket cannot be reset, so its connection is closed. */
function reset({ socket }: ClientRequest, finish: (failure: Failure) => void): void {
  if (socket && !('encrypted' in socket)) {
    socket.resetAndDestroy()
  }
  finish(cut('reset'))
}

function trickle(request: ClientRequest, body: Uint8Array, seconds: number): void {
  const size = Math.max(1, Math.ceil(body.length / pieces))
  let sent = 0
  const sendPiece = () => {
    request.write(body.subarray(sent, sent + size))
    sent += size
    if (sent < body.length) {
      return
    }
    clearInterval(timer)
    request.end()
  }
  const timer = setInterval(sendPiece, (seconds * 1000) / pieces)
  request.on('close', () => clearInterval(timer))
}
