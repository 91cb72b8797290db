import type { AddressInfo } from 'node:net'

/** The port to listen on. 0 is any free port. */
export const port = Number(process.env.PORT ?? 3000)

/** The signing secret of the endpoint, as issued with access. */
export const secret = required('WEBHOOK_SECRET')

/** Ends the program with a message when a variable is not set. */
export function required(name: string): string {
  const value = process.env[name]
  if (value) {
    return value
  }
  console.error(`${name} is not set. Try: ${name}=whsec_example npx tsx ${process.argv[1]}`)
  process.exit(1)
}

/** Returns the url of a listening server. */
export function origin(server: { address(): AddressInfo | string | null }): string {
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
