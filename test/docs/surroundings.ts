/**
 * Names that a code block in a document may use without an import. A reader understands them, but the compiler needs a
 * declaration. A block that declares or imports a name itself does not get ours.
 */
export const surroundings: Readonly<Record<string, string>> = {
  // Parts of the package that an earlier block has imported.
  createReceiver: `import { createReceiver } from 'webhook-inbox'`,
  memoryStore: `import { memoryStore } from 'webhook-inbox'`,
  localQueue: `import { localQueue } from 'webhook-inbox/queues/local'`,
  postgresStore: `import { postgresStore } from 'webhook-inbox/stores/postgres'`,

  // Objects that a program makes at its start.
  receiver: `declare const receiver: import('webhook-inbox').Receiver`,
  store: `declare const store: import('webhook-inbox').Store`,
  queue: `declare const queue: import('webhook-inbox').Queue<never>`,
  run: `declare const run: import('webhook-inbox').BulkRun`,
  handlers: `declare const handlers: { 'transfer.settled'(): Promise<void> }`,
  pool: `declare const pool: import('pg').Pool`,
  rightsOf: `declare function rightsOf(request: import('express').Request): Set<string>`,
  userOf: `declare function userOf(request: import('express').Request): { email: string }`,
  app: `declare const app: import('express').Express`,
  myLeases: `declare const myLeases: import('webhook-inbox').LeaseStore`,

  boss: `declare const boss: import('pg-boss').PgBoss`,
  fastify: `declare const fastify: import('fastify').FastifyInstance`,
  router: `import Router from '@koa/router'\nconst router = new Router()`,
  transferStates: `declare const transferStates: import('webhook-inbox').ResourceStates`,

  // Clients, and the test function of a runner.
  DynamoDB: `import { DynamoDB } from '@aws-sdk/client-dynamodb'`,
  createClient: `import { createClient } from 'redis'`,
  Redis: `import { Redis } from 'ioredis'`,
  http: `import http from 'node:http'`,
  test: `import { test } from 'node:test'`,

  env: `declare const env: { DB: import('webhook-inbox/stores/d1').D1Database & { exec(sql: string): Promise<void> } }`,

  // Values, and functions of the reader's own service.
  request: `declare const request: { headers: Record<string, string> }`,
  secret: `declare const secret: string`,
  newSecret: `declare const newSecret: string`,
  oldSecret: `declare const oldSecret: string`,
  body: `declare const body: Uint8Array`,
  header: `declare const header: string`,
  vault: `declare const vault: { read(name: string): Promise<string> }`,
  log: `declare const log: { info(...values: unknown[]): void; error(...values: unknown[]): void }`,
  metrics: `declare const metrics: { count(name: string, labels?: object): void }`,
  credit: `declare function credit(id: string, options?: { signal: AbortSignal }): Promise<void>`,
  reverse: `declare function reverse(transferId: string): Promise<void>`,
}
