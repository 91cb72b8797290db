import { readFileSync } from 'node:fs'
import type { Api } from './app.js'

/** In the package: `openapi.json` beside `dist` and `src`. */
const file = new URL('../../openapi.json', import.meta.url)

/** Serves the document of the package. A test compares it with the routes. */
export function documentRoute(app: Api): void {
  let document: string | undefined
  app.get('/openapi.json', (c) => {
    document ??= readFileSync(file, 'utf8')
    return c.body(document, 200, { 'Content-Type': 'application/json' })
  })
}
