import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Api } from './api/app.js'
import { Problem } from './api/problems.js'

/** The build output of Vite. In the package: `inspector/dist` beside `dist` and `src`. */
const folder = new URL('../inspector/dist/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const headers = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache',
}

/** Serves the page of the inspector. It loads nothing from elsewhere. */
export function inspectorRoutes(app: Api): void {
  app.get('/_inspector', (c) => c.redirect('/_inspector/', 302))

  app.get('/_inspector/:path{.*}', async (c) => {
    const path = c.req.param('path') || 'index.html'
    const type = types[extname(path)]
    // A name of a built file. It has no dot at its start, so it cannot leave the folder.
    const isBuilt = type && /^(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*\/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(path)
    const content = isBuilt && (await readFile(new URL(path, folder)).catch(() => undefined))
    if (!content) {
      throw new Problem('not_found', `The inspector has no ${path}.`)
    }
    return c.body(content, 200, { ...headers, 'Content-Type': type })
  })
}
