import type { Client } from 'webhook-inbox-client'
import { UnreachableError, UsageError } from '../exit.js'
import type { Connection } from './connection.js'

/** A client of the service’s own API, with the key that the sandbox was started with. */
export async function serviceClient({ origin, get }: Connection): Promise<Client> {
  const [{ createClient }, { apiKey }] = await Promise.all([
    import('webhook-inbox-client'),
    get<{ apiKey: string }>('config'),
  ])
  return createClient({ baseUrl: `${origin}/v1`, apiKey })
}

/** The errors of the client in the words of the command line. */
export async function withServiceErrors<T>(work: Promise<T>): Promise<T> {
  const { ApiError, ServiceClientError } = await import('webhook-inbox-client')
  try {
    return await work
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) {
      throw new UsageError(error.message)
    }
    if (error instanceof ServiceClientError) {
      throw new UnreachableError(error.message)
    }
    throw error
  }
}
