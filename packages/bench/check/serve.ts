import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { Candidate } from './receivers.js'

/** Serves a receiver on a free port, beside a counter of the effects that its handler has. */
export async function serve(candidate: Candidate) {
  const effects = new Map<string, number>()
  const app = express()
  candidate.mount(app, '/webhooks', async ({ id }) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    effects.set(id, (effects.get(id) ?? 0) + 1)
  })
  app.get('/effects/:id', (request, response) => {
    response.json({ count: effects.get(request.params.id) ?? 0 })
  })
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${base}/webhooks`,
    probe: `${base}/effects/{id}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
