/** The store uses the transactions of Prisma, so the writes of a handler and the done mark commit together. */
import { PrismaPg } from '@prisma/adapter-pg'
import { postgresStore, type Row } from 'webhook-inbox/stores/postgres'
import { type Prisma, PrismaClient } from './generated/client.js'

/**
 * A handler may take `handlerTimeoutSeconds`, by default 10. Prisma ends a transaction after 5 seconds, and waits 2 seconds
 * for a connection.
 */
const transactionOptions = { timeout: 30_000, maxWait: 10_000 }

export const connect = (url: string) =>
  new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 13 }), transactionOptions })

export const prismaStore = (db: PrismaClient) =>
  postgresStore<Prisma.TransactionClient>({
    transaction: (work) => db.$transaction(work).catch(rethrow),
    query: (tx, text, values) => tx.$queryRawUnsafe<Row[]>(text, ...values).catch(rethrow),
  })

/** Prisma wraps the error of the server. The store needs its code to tell a busy event from a fault. */
function rethrow(error: Wrapped): never {
  const { originalCode: code } = error.meta?.driverAdapterError?.cause ?? error.cause ?? {}
  throw code === undefined ? error : Object.assign(new Error(error.message, { cause: error }), { code })
}

interface Wrapped extends Error {
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: string } } }
  readonly cause?: { readonly originalCode?: string }
}
