import { randomInt } from 'node:crypto'
import { type Client, createClient } from 'webhook-inbox-client'
import { createSandbox, type Sandbox } from 'webhook-inbox-sandbox'

/** The sender: the payments platform on this machine, and the client that calls it. */
export interface Service {
  readonly sandbox: Sandbox
  readonly client: Client
  /** The address of the inspector page; undefined where it is not built. */
  readonly inspector: string | undefined
}

/** Signs everything that the sandbox sends, and the `curl` that the demo prints. */
export const secret = 'whsec_demo_secret'

/** Starts the sandbox. It lives as long as the demo: what outlives a kill is the inbox of the receiver. */
export async function startService(): Promise<Service> {
  // Another seed each time, or the next life would send the event ids of this one.
  const seed = randomInt(2 ** 31)
  const sandbox = await createSandbox({ port: 0, seed, secret, retry: [0.5, 1, 2, 5] })
  const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey })
  const inspector = `${sandbox.url}/_inspector`
  const { ok } = await fetch(`${inspector}/`)
  return { sandbox, client, inspector: ok ? inspector : undefined }
}
