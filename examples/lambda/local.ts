/** Emulates API Gateway (HTTP API, payload 2.0) before the function, on this machine. */
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { origin, port } from '../environment.js'
import { handler } from './handler.js'

const server = createServer(async (request, response) => {
  const { method = 'GET', url = '/', headers } = request
  const answer = await handler({
    rawPath: url,
    rawQueryString: '',
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    requestContext: { http: { method } },
    body: (await buffer(request)).toString('base64'),
    isBase64Encoded: true,
  })
  const { statusCode = 500, headers: sent, body } = answer as APIGatewayProxyStructuredResultV2
  response.writeHead(statusCode, sent as Record<string, string>).end(body)
})
server.listen(port, () => console.log(`listening on ${origin(server)}/webhooks`))
process.once('SIGTERM', () => server.close())
