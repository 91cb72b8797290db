import { catchLater } from '../catch-later.js'
import { PayloadError } from '../errors.js'
import { catalog } from './catalog.js'
import { expectedValues } from './expected-values.js'

/**
 * A validator of the Standard Schema specification, version 1 (standardschema.dev). Zod, valibot, arktype and others
 * implement it. The specification allows copying these types.
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Schemas of `data` by event type. */
export type Schemas = { readonly [type: string]: StandardSchema }

/** The data types that a set of schemas describes. */
export type InferSchemas<S> = {
  [Type in keyof S]: S[Type] extends StandardSchema<infer Output> ? Output : never
}

/**
 * Checks `data` against the schema of its type: the user's if there is one, else the catalog's. Returns the output of
 * the user's schema, or a promise of it. Throws `PayloadError` `invalid_data` if the data does not fit, and `TypeError`
 * if the schema returns an invalid result. If the interface does not publish a payload, data that does not fit only
 * adds a warning.
 */
export function checkData(
  type: string,
  data: unknown,
  schemas: Schemas | undefined,
  warnings: string[],
): unknown {
  if (schemas && Object.hasOwn(schemas, type)) {
    return outputOf(schemas[type] as StandardSchema, data)
  }
  if (!Object.hasOwn(catalog, type)) {
    return data
  }
  const { schema, published } = catalog[type as keyof typeof catalog]
  const result = schema.safeParse(data)
  if (result.success) {
    return data
  }
  const issues = describeIssues(result.error.issues, data)
  if (published) {
    throw new PayloadError('invalid_data', issues)
  }
  warnings.push(`data is not as expected: ${issues}`)
  return data
}

/** The output of the schema. The schema is user code, so its result can be any value. */
async function outputOf(schema: StandardSchema, data: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(data)
  if (typeof result !== 'object' || result === null) {
    throw new TypeError('the schema returned no result')
  }
  catchLater(result)
  const { issues } = result
  if (issues === undefined || issues === null) {
    if ('value' in result) {
      return result.value
    }
    throw new TypeError('the schema returned neither a value nor issues')
  }
  catchLater(issues)
  catchLater(read(result, 'value'))
  if (!Array.isArray(issues)) {
    throw new TypeError('the schema returned issues that are no list')
  }
  for (const issue of issues) {
    const path = read(issue, 'path')
    catchLater(path)
    catchLater(read(issue, 'message'))
    for (const name of ['expected', 'values', 'options']) {
      const named = read(issue, name)
      for (const each of Array.isArray(named) ? named : [named]) {
        catchLater(each)
      }
    }
    for (const part of Array.isArray(path) ? path : []) {
      catchLater(read(part, 'key'))
    }
  }
  throw new PayloadError('invalid_data', describeIssues(issues, data))
}

/** Reads a value of a schema, whose getter may throw, or of the data. */
function read(from: unknown, name: PropertyKey): unknown {
  try {
    return (from as Record<PropertyKey, unknown> | null | undefined)?.[name]
  } catch {
    return undefined
  }
}

/** Lists paths and what is expected there. Messages may quote values, which belong to the customer. */
function describeIssues(issues: readonly SchemaIssue[], data: unknown): string {
  const named = issues
    .slice(0, mostIssues)
    .map((issue) => describeIssue(issue, data))
    .join(', ')
  return issues.length > mostIssues ? `${named} and ${issues.length - mostIssues} more` : named
}

function describeIssue(issue: SchemaIssue, data: unknown): string {
  const keys = (issue.path ?? []).slice(0, mostSegments).map(keyOf)
  const path = ['data', ...keys.map(segment)].join('.')
  // Issues of zod, valibot and arktype have it. Any text but the name of a type may be made from a value.
  const expected = read(issue, 'expected')
  const type = typeof expected === 'string' && typeName.exec(expected)?.[1]
  const what = type ? type.toLowerCase() : expectedValues(issue, data)
  const facts = [isMissing(data, keys) && 'missing', what && `expected ${what}`].filter(Boolean)
  return facts.length > 0 ? `${path} (${facts.join('; ')})` : path
}

/** Whether the last key of a path is not in its object. A missing value has another cause than a wrong one. */
function isMissing(data: unknown, keys: readonly PropertyKey[]): boolean {
  const parent = keys.slice(0, -1).reduce(read, data)
  const key = keys.at(-1)
  return key !== undefined && typeof parent === 'object' && parent !== null && !Object.hasOwn(parent, key)
}

const typeName =
  /^(?:an? )?(string|number|int|integer|bigint|boolean|date|null|undefined|object|record|array|tuple)$/i

const mostIssues = 20
/** Of one path. A schema is user code, and a sender may nest data deeply. */
const mostSegments = 50

/** A key may come from the sender, so its length is bounded. */
const segment = (key: PropertyKey) => String(key).slice(0, longestSegment)

const keyOf = (part: PropertyKey | { readonly key: PropertyKey }) =>
  typeof part === 'object' ? part.key : part

const longestSegment = 100
