import { createRoute } from '@hono/zod-openapi'
import type { Api } from './app.js'
import { Problem } from './problems.js'
import { missingProblems } from './route-parts.js'

/** Areas that the interface names without a path, a field or a response. */
const areas = ['treasury', 'compliance', 'policy', 'assets', 'evidence-exports'] as const

/** Responds 501 in each area. A program could rely on an invented response that the service does not give. */
export function unpublishedRoutes(app: Api): void {
  for (const area of areas) {
    const path = `/v1/${area}`
    const refuse = () => {
      const detail = `The interface names ${area}, but publishes no path and no field (gap G6).`
      throw new Problem('not_implemented', detail, { gap: 'G6' })
    }
    app.openAPIRegistry.registerPath(
      createRoute({
        method: 'get',
        path,
        operationId: `get${area.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}`,
        summary: `Not published: ${area}`,
        description: 'Every method, and every path below, has the same response.',
        tags: ['Not published'],
        responses: missingProblems,
        'x-assumed': 'G6',
      }),
    )
    app.all(`${path}/*`, refuse)
  }
}
