import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Hono } from 'hono'
import type { Env } from './env.js'
import { may, readActions } from './guard/authorize.js'
import type { Resolved } from './options.js'
import { Problem } from './problem.js'

/** The build output of Vite. In the package: `page/dist` beside `dist` and `src`. */
const folder = new URL('../page/dist/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

/** Serves the page to anyone who may read something. Its URLs are relative, so it works under any prefix. */
export function pageRoutes(app: Hono<Env>, options: Resolved): void {
  app.get('/', async (c) => {
    await requireAnyView(options, c.env.caller)
    const { original } = c.env
    if (!original.endsWith('/')) {
      const name = original.slice(original.lastIndexOf('/') + 1)
      return c.redirect(`./${name}/${new URL(c.req.url).search}`, 302)
    }
    return file('index.html')
  })

  app.get('/assets/:name', async (c) => {
    await requireAnyView(options, c.env.caller)
    return file(`assets/${c.req.param('name')}`)
  })
}

async function file(path: string): Promise<Response> {
  const type = types[extname(path)]
  // A name of a built file. It has no dot at its start, so it cannot leave the folder.
  const isBuilt = type && /^(?:assets\/)?[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(path)
  const content = isBuilt && (await readFile(new URL(path, folder)).catch(() => undefined))
  if (!content) {
    throw new Problem('not_found', 'The page has no such file.')
  }
  return new Response(new Uint8Array(content), { headers: { 'Content-Type': type } })
}

/** The page contains no data, but a person without any right should not see that it exists. */
async function requireAnyView(options: Resolved, caller: unknown): Promise<void> {
  const permitted = await Promise.all(readActions.map((action) => may(options, caller, action)))
  if (!permitted.includes(true)) {
    throw new Problem('forbidden', 'You have no right in this console.')
  }
}
