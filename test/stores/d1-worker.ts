import type { D1Database } from '../../src/stores/d1/d1-database.js'
import { d1Leases, d1Store } from '../../src/stores/d1.js'
import { leaseSuite, storeSuite } from '../../src/testing/index.js'

type Law = () => Promise<void>

/** Every law of the leases and of the store, by name. */
export function lawsOf(database: D1Database): ReadonlyMap<string, Law> {
  const laws = new Map<string, Law>()
  leaseSuite(
    (name, law) => laws.set(`leases: ${name}`, law),
    () => d1Leases({ database }),
  )
  storeSuite(
    (name, law) => laws.set(`store: ${name}`, law),
    () => d1Store({ database }),
  )
  return laws
}

/** Runs the law that the path names. Answers 200, or 500 with what went wrong. */
export default {
  async fetch(request: Request, env: { readonly DB: D1Database }): Promise<Response> {
    const name = decodeURIComponent(new URL(request.url).pathname.slice(1))
    const law = lawsOf(env.DB).get(name)
    if (!law) {
      return new Response(`no law ${name}`, { status: 404 })
    }
    try {
      await law()
      return new Response('holds')
    } catch (error) {
      return new Response(String((error as Error).stack), { status: 500 })
    }
  },
}
