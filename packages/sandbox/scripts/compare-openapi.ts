import { compareSchemas } from './compare-schemas.js'
import { type Change, type Json, type Kind, pairs, resolve } from './openapi-document.js'

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']

/**
 * The differences of two OpenAPI documents that a program can notice. Descriptions, examples and marks such as
 * `x-assumed` do not count.
 */
export function compareDocuments(old: Json, next: Json): Change[] {
  const changes: Change[] = []
  const report = (kind: Kind, at: string, what: string) => changes.push({ kind, at, what })
  const compareOperations = (of: 'paths' | 'webhooks') => {
    for (const [name, before, after] of pairs(operationsOf(old[of]), operationsOf(next[of]))) {
      if (!before || !after) {
        report(after ? 'additive' : 'breaking', name, after ? 'is new' : 'is gone')
        continue
      }
      // A receiver reads what the service sends to it, as a client reads a response.
      const isSent = of === 'webhooks'
      compareParameters(name, before, after)
      compareContents(`${name} request`, before.requestBody, after.requestBody, !isSent)
      for (const [status, answer, given] of pairs(before.responses, after.responses)) {
        const at = `${name} ${status}`
        if (!answer || !given) {
          report(given || isSent ? 'additive' : 'breaking', at, given ? 'is new' : 'is gone')
        } else {
          compareContents(at, answer, given, isSent)
        }
      }
    }
  }

  const compareParameters = (name: string, before: Json, after: Json) => {
    for (const [key, was, is] of pairs(parametersOf(old, before), parametersOf(next, after))) {
      const at = `${name} parameter ${key}`
      if (!was || !is) {
        const breaks = !is || is.required
        report(
          breaks ? 'breaking' : 'additive',
          at,
          is ? `is new${is.required ? ' and required' : ''}` : 'is gone',
        )
        continue
      }
      if (Boolean(was.required) !== Boolean(is.required)) {
        report(is.required ? 'breaking' : 'additive', at, is.required ? 'is required now' : 'is optional now')
      }
      changes.push(...compareSchemas({ old, next, at, isRequest: true }, was.schema, is.schema))
    }
  }

  const compareContents = (at: string, before: Json, after: Json, isRequest: boolean) => {
    const contents = [resolve(old, before)?.content, resolve(next, after)?.content]
    for (const [type, was, is] of pairs(contents[0], contents[1])) {
      if (!was || !is) {
        report(is ? 'additive' : 'breaking', `${at} ${type}`, is ? 'is new' : 'is gone')
      } else {
        changes.push(...compareSchemas({ old, next, at, isRequest }, was.schema, is.schema))
      }
    }
  }

  compareOperations('paths')
  compareOperations('webhooks')
  return changes
}

function operationsOf(paths: Json = {}): Record<string, Json> {
  const found = Object.entries<Json>(paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => [`${method.toUpperCase()} ${path}`, item[method]]),
  )
  return Object.fromEntries(found)
}

function parametersOf(document: Json, { parameters = [] }: Json): Record<string, Json> {
  const found = parameters.map((one: Json) => resolve(document, one))
  return Object.fromEntries(found.map((one: Json) => [`${one.name} (${one.in})`, one]))
}
