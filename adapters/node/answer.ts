import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ReceiveResult } from '../../src/result.js'

/** The part of a result that the sender gets to see. */
export type Answer = Pick<ReceiveResult, 'status' | 'headers' | 'body'>

/** How long a sender may go on uploading what nobody reads, so that it gets to the answer. */
const lingerSeconds = 2

/** Writes an answer, unless the response is beyond it. Resolves when nothing of the request is left to wait for. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Answer,
): Promise<void> {
  const isUnread = !request.complete && (await isUploading(request))
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, {
    ...headers,
    'content-length': Buffer.byteLength(body),
    ...(isUnread && { connection: 'close' }),
  })
  if (!isUnread) {
    response.end(body)
    return
  }
  // Ending the response would close the socket, and closing it over unread bytes resets it before the sender has read
  // the answer. So the answer is written, and the end waits a little for the upload.
  response.write(body)
  await drain(request)
  response.end()
}

/** Whether a part of the request has not arrived yet. What came in one packet with its head is parsed a turn later. */
export async function isUploading(request: IncomingMessage): Promise<boolean> {
  if (!request.complete) await new Promise(setImmediate)
  return !request.complete && !request.destroyed && request.httpVersionMajor === 1
}

function drain(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, lingerSeconds * 1000)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    request.once('end', done).once('close', done).once('error', done).resume()
  })
}
