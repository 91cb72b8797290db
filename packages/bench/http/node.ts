import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import getRawBody from 'raw-body'
import { nodeHandler } from 'webhook-inbox/node'
import type { Contenders } from './contender.js'
import { constructEvent, nobody, receiverOf } from './contents.js'

export const node: Contenders = {
  bare: (work) => createServer((request, response) => drain(request, response, work)),

  stripe: (work) =>
    createServer(async (request, response) => {
      const body = await getRawBody(request, {
        limit: '1mb',
        length: request.headers['content-length'] ?? null,
      })
      constructEvent(body, request.headers['stripe-signature'])
      work()
      response.setHeader('content-type', 'application/json').end('{"received":true}')
    }),

  adapter: (work) => createServer(nodeHandler(nobody(work))),

  ours: (work) => createServer(nodeHandler(receiverOf(work))),
}

/** Reads a body, keeps it, and answers 200. */
export function drain(request: IncomingMessage, response: ServerResponse, work: () => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    work()
    response.end()
  })
}
