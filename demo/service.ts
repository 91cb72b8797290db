import { randomInt } from 'node:crypto'
import { type Client, createClient } from 'webhook-inbox-client'
import { createSandbox, type Sandbox } from 'webhook-inbox-sandbox'

/** The sender: the payments platform on this machine, and the client that calls it. */
export interface Service {
  readonly sandbox: Sandbox
  readonly client: Client
  /** The address of the inspector page. `undefined` if it is not built. */
  readonly inspector: string | undefined
}

/** Signs the deliveries of the sandbox and the printed `curl` command. */
export const secret = 'whsec_demo_secret'

/** Starts the sandbox. It ends with the demo. Only the inbox of the receiver survives a kill. */
export async function startService(): Promise<Service> {
  // A new seed each time, or the next run would send the same event ids.
  const seed = randomInt(2 ** 31)
  const sandbox = await createSandbox({ port: 0, seed, secret, retry: [0.5, 1, 2, 5] })
  const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey })
  const inspector = `${sandbox.url}/_inspector`
  const { ok } = await fetch(`${inspector}/`)
  return { sandbox, client, inspector: ok ? inspector : undefined }
}
