// First: it gives schemas a method that documents need, but only those that are made later. The files of a worker share modules.
import '@hono/zod-openapi'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import Ajv2020 from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, afterEach, expect } from 'vitest'

/** Holds every answer that a sandbox of these tests gives to `openapi.json`. */

const document = JSON.parse(readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020.default({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(document, 'openapi')

const patterns = Object.keys(document.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
}))

interface Published {
  readonly method: string
  readonly path: string
  readonly response: Response
}

const checks: Promise<void>[] = []
const faults: string[] = []
/** How many answers were held to the document; a test looks at it, so that this cannot fail silently. */
export const checked = { answers: 0 }

const listen = (message: unknown) => {
  checks.push(check(message as Published))
}
subscribe('webhook-inbox-sandbox:answer', listen)
// The next file of the worker subscribes again.
afterAll(() => unsubscribe('webhook-inbox-sandbox:answer', listen))

afterEach(async () => {
  await Promise.all(checks.splice(0))
  expect(faults.splice(0)).toEqual([])
})

async function check({ method, path, response }: Published): Promise<void> {
  const { status, headers } = response
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  // A HEAD has the response of its GET, which other tests hold to the document.
  if (type === 'text/event-stream' || method === 'HEAD') {
    return
  }
  const label = `${method} ${path} ${status}`
  if (!headers.get('request-id')) {
    faults.push(`${label}: no Request-Id`)
  }
  const text = await response.text()
  const pointer = schemaPointer(method, path, status, type, text === '')
  if (pointer === undefined) {
    return
  }
  checked.answers += 1
  if (pointer === '') {
    if (text !== '' || status !== 204) {
      faults.push(`${label}: not described (${type})`)
    }
    return
  }
  const validate = ajv.getSchema(`openapi#${pointer}`)
  if (!validate) {
    throw new Error(`${pointer} is not in the document`)
  }
  if (!validate(JSON.parse(text))) {
    faults.push(`${label}: ${ajv.errorsText(validate.errors)} in ${text}`)
  }
}

const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1')

/** Where the schema of an answer is; `''` where none is described; `undefined` where the document says nothing of it. */
function schemaPointer(
  method: string,
  path: string,
  status: number,
  type: string,
  isEmpty: boolean,
): string | undefined {
  // Unknown paths and methods, and the control plane, are not described. Their problems have the same form.
  const problem = '/components/schemas/Problem'
  const known = patterns.find(({ pattern }) => pattern.test(path))?.path
  const operation = known && document.paths[known][method === 'HEAD' ? 'get' : method.toLowerCase()]
  if (!operation) {
    return status < 300 || status === 302 ? undefined : type.endsWith('problem+json') ? problem : ''
  }
  const declared = operation.responses[status]
  if (!declared) {
    return ''
  }
  if (declared.$ref) {
    return `${problem}`
  }
  if (isEmpty) {
    return ''
  }
  const pointer = [
    '',
    'paths',
    known,
    method.toLowerCase(),
    'responses',
    String(status),
    'content',
    type,
    'schema',
  ]
  return pointer.map((part) => encodeURIComponent(escaped(part))).join('/')
}
