declare module 'dynalite' {
  import type { Server } from 'node:http'

  export default function dynalite(options?: { readonly createTableMs?: number }): Server
}
