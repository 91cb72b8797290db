import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DynamoDB } from '@aws-sdk/client-dynamodb'
import dynalite from 'dynalite'

/** What the front of the server does to a request, by the name of its operation. Resolves to true if it has answered. */
export type Disturb = (operation: string, answer: ServerResponse) => 'pass' | 'drop the reply' | 'answered'

export interface DynamoServer {
  /** Returns a new client. Its options are those of the SDK. */
  connect(options?: ConstructorParameters<typeof DynamoDB>[0]): DynamoDB
  /** Decides what happens to each request from now on. Nothing happens to them without it. */
  disturb(how?: Disturb): void
  readonly endpoint: string
  close(): Promise<void>
}

/** Starts dynalite, a DynamoDB on LevelDB, and before it an HTTP server that disturbs requests. Both use loopback. */
export async function startDynamo(): Promise<DynamoServer> {
  const database = dynalite({ createTableMs: 0 })
  const target = await listen(database)
  let how: Disturb | undefined

  const front = createServer(async (incoming, answer) => {
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? ''
    const fate = how?.(operation, answer) ?? 'pass'
    if (fate === 'answered') {
      incoming.resume()
      return
    }
    const reply = await pass(incoming, target)
    if (fate === 'drop the reply') {
      answer.destroy()
      return
    }
    answer.writeHead(reply.status, reply.headers).end(reply.body)
  })
  const endpoint = `http://127.0.0.1:${await listen(front)}`
  const clients: DynamoDB[] = []

  return {
    endpoint,
    connect(options = {}) {
      const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
      const client = new DynamoDB({ endpoint, region: 'eu-west-1', credentials, ...options })
      clients.push(client)
      return client
    },
    disturb(next) {
      how = next
    },
    async close() {
      for (const client of clients) {
        client.destroy()
      }
      front.closeAllConnections()
      front.close()
      await new Promise((resolve) => database.close(resolve))
    },
  }
}

/** The table that docs/stores.md describes. */
export async function createTable(client: DynamoDB, table: string): Promise<void> {
  await client.createTable({
    TableName: table,
    AttributeDefinitions: [{ AttributeName: 'event_key', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'event_key', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  })
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Sends a request on to the database, and reads its whole reply. */
async function pass(incoming: IncomingMessage, port: number) {
  const { method, headers } = incoming
  const outgoing = request({ host: '127.0.0.1', port, path: '/', method, headers })
  incoming.pipe(outgoing)
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  const body = Buffer.concat(await reply.toArray())
  return { status: reply.statusCode ?? 500, headers: reply.headers, body }
}
