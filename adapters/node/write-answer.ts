import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import type { ReceiveResult } from '../../src/adapter-port.js'

/** The part of a result that is sent to the sender. */
export type Answer = Pick<ReceiveResult, 'status' | 'headers' | 'body'>

/** How long a sender may continue its upload after the response is written. Otherwise it might not read the response. */
const lingerSeconds = 2

/** Writes a response, unless one was sent or the connection was closed already. Resolves when nothing is left to wait for. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Answer,
): Promise<void> {
  const isUnread = await isUploading(request)
  if (response.headersSent || response.destroyed) {
    return
  }
  const isHttp1 = request.httpVersionMajor === 1
  response.writeHead(status, {
    ...headers,
    'content-length': Buffer.byteLength(body),
    ...(isUnread && isHttp1 && { connection: 'close' }),
  })
  if (!isUnread) {
    response.end(body)
  } else if (isHttp1) {
    await endAfterUpload(request, response, body)
  } else {
    endStream(request, response, body)
  }
}

/** Whether a part of the request has not arrived yet. Waits one turn, because Node parses a body after its head. */
export async function isUploading(request: IncomingMessage): Promise<boolean> {
  if (!request.complete) {
    await new Promise(setImmediate)
  }
  return !request.complete && !request.destroyed
}

/**
 * Ending the response would close the socket. If unread bytes remain, closing resets the connection, and the sender
 * might never see the response. So this writes the response, waits briefly for the upload, and then ends the response.
 */
async function endAfterUpload(request: IncomingMessage, response: ServerResponse, body: string) {
  response.write(body)
  await drain(request)
  response.end()
}

/**
 * The sender would otherwise keep uploading into a stream that is answered (RFC 9113, 8.1). Unread bytes are dropped: with them
 * in its buffer, Node never destroys the stream, and its connection stays open.
 */
function endStream(request: IncomingMessage, response: ServerResponse, body: string): void {
  const { stream } = request as { stream?: { close(code: number): void } }
  response.end(body, () => stream?.close(noError))
  request.resume()
}

/** `NO_ERROR` of HTTP/2 (RFC 9113, 7). */
const noError = 0

function drain(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, lingerSeconds * 1000)
    finished(request.resume(), () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
