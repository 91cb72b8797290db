import type { AddressInfo } from 'node:net'

/** The port to listen on. 0 is any free port. */
export const port = Number(process.env.PORT ?? 3000)

/** Values that a reader can copy. */
const samples: Readonly<Record<string, string>> = {
  WEBHOOK_SECRET: 'whsec_example_0123456789',
  TENANT_SECRETS: 'acme=whsec_acme_0123456789,globex=whsec_globex_0123456789',
  DATABASE_URL: 'postgres://user@127.0.0.1/database',
}

/** The signing secret of the endpoint, as issued with access. */
export const secret = required('WEBHOOK_SECRET')

/** Ends the program with a message when a variable is not set. */
export function required(name: string): string {
  const value = process.env[name]
  if (value) {
    return value
  }
  console.error(`${name} is not set. Try: ${name}=${samples[name]} npx tsx ${process.argv[1]}`)
  process.exit(1)
}

/** Returns the url of a listening server. */
export function origin(server: { address(): AddressInfo | string | null }): string {
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
