import { inTurn } from '../in-turn.js'
import { Problem } from '../problem.js'
import { bodyView } from '../views/body-view.js'
import { noting, resolveMask } from '../views/mask.js'
import { fileNameOf, type SnippetKind, snippets } from '../views/snippets.js'
import type { Snippet } from '../wire.js'
import { eventOf } from './events.js'
import type { Route } from './route.js'

/** How many paths one snippet redacts. Each is compared with every key of the body. */
const mostPaths = 20

export const snippetRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/events/:id/snippet',
    action: 'bodies:read',
    async run({ receiver, options, param, query }): Promise<Snippet> {
      const kind = kindOf(query.get('as'))
      const event = await eventOf(receiver, param('id'))
      const paths = (query.get('redact') ?? '').split(',').filter((path) => path.trim() !== '')
      if (paths.length > mostPaths) {
        throw new Problem('invalid_request', `A snippet redacts at most ${mostPaths} fields.`)
      }
      const masked = textOf(event.body, options.mask)
      const found = new Set<string>()
      let body = masked
      if (paths.length > 0) {
        const bytes = Buffer.from(masked)
        await inTurn(() => textOf(bytes, noting(paths, found)))
        body = await inTurn(() => textOf(bytes, resolveMask(paths)))
      }
      // A path with a typo must not look as if it hid something.
      const unmatched = paths.filter((path) => !found.has(path))
      return {
        text: await snippets[kind]({ id: event.id, body }),
        fileName: fileNameOf(event.type, kind),
        ...(unmatched.length > 0 && { unmatched }),
      }
    },
  },
]

function kindOf(as: string | null): SnippetKind {
  if (as !== null && Object.hasOwn(snippets, as)) {
    return as as SnippetKind
  }
  throw new Problem('invalid_request', `as must be one of ${Object.keys(snippets).join(', ')}`)
}

function textOf(body: Uint8Array, mask: Parameters<typeof bodyView>[1]): string {
  const { text } = bodyView(body, mask)
  if (text === null) {
    throw new Problem('masked_body', 'This body cannot be shown, so it cannot be copied either.')
  }
  return text
}
