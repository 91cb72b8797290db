import { Problem } from '../problem.js'
import { bodyView } from '../views/body-view.js'
import { type CopyKind, copies, fileNameOf } from '../views/copies.js'
import { resolveMask } from '../views/mask.js'
import type { CopyView } from '../wire.js'
import { eventOf } from './events.js'
import type { Route } from './route.js'

export const copyRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/events/:id/copy',
    action: 'bodies:read',
    async run({ receiver, options, param, query }): Promise<CopyView> {
      const kind = kindOf(query.get('as'))
      const event = await eventOf(receiver, param('id'))
      const paths = (query.get('redact') ?? '').split(',').filter((path) => path.trim() !== '')
      const masked = textOf(event.body, options.mask)
      const body = paths.length > 0 ? textOf(Buffer.from(masked), resolveMask(paths)) : masked
      return { text: await copies[kind]({ id: event.id, body }), fileName: fileNameOf(event.type, kind) }
    },
  },
]

function kindOf(as: string | null): CopyKind {
  if (as !== null && Object.hasOwn(copies, as)) {
    return as as CopyKind
  }
  throw new Problem('invalid_request', `as must be one of ${Object.keys(copies).join(', ')}`)
}

function textOf(body: Uint8Array, mask: Parameters<typeof bodyView>[1]): string {
  const { text } = bodyView(body, mask)
  if (text === null) {
    throw new Problem('masked_body', 'This body cannot be shown, so it cannot be copied either.')
  }
  return text
}
