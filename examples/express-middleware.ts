/** The middleware form: the route itself processes an event that is verified and claimed. */
import express from 'express'
import { memoryStore } from 'webhook-inbox'
import { expressMiddleware } from 'webhook-inbox/express'
import { origin, port, secret } from './environment.js'

const app = express()

app.post('/webhooks', expressMiddleware({ secret, store: memoryStore() }), (request, response) => {
  const { event, attempt } = request.webhook
  if (event.type === 'transfer.failed' && attempt === 1) {
    // Any other status than 2xx releases the claim, and the service delivers the event again.
    response.status(503).json({ error: 'the ledger is locked' })
    return
  }
  console.log(`${event.type} ${event.id}`)
  response.sendStatus(204) // the event is marked done before this response is sent
})

const server = app.listen(port, () => console.log(`listening on ${origin(server)}/webhooks`))
process.once('SIGTERM', () => server.close())
