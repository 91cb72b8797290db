import type { Context } from 'hono'
import type { Api } from './app.js'
import { Problem, problemAnswer } from './problems.js'

/** Responds to requests without a route: 405 if the path has other methods, else 404. */
export function refuseUnknown(app: Api): void {
  app.notFound((c: Context) => {
    const methods = methodsOf(app, c.req.path)
    if (methods.length === 0) {
      return problemAnswer(c, new Problem('not_found', `There is no ${c.req.path} here.`))
    }
    const allow = methods.join(', ')
    const detail = `${c.req.path} supports ${allow}.`
    return problemAnswer(c, new Problem('method_not_allowed', detail, { headers: { Allow: allow } }))
  })
}

function methodsOf(app: Api, path: string): string[] {
  const methods = app.routes
    .filter(({ method, path: pattern }) => method !== 'ALL' && matches(pattern, path))
    .map(({ method }) => method)
  return [...new Set(methods)].sort()
}

function matches(pattern: string, path: string): boolean {
  const parts = pattern.split('/')
  const given = path.split('/')
  if (parts.length !== given.length) {
    return false
  }
  return parts.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
}
