import { PayloadError } from '../errors.js'
import { type Awaitable, isPending } from '../timing/awaitable.js'
import { catalog } from './catalog.js'

/**
 * A validator of the Standard Schema specification, version 1 (standardschema.dev), which zod, valibot, arktype and
 * others implement. Its types are part of the specification and meant to be copied.
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
 * Holds `data` against the schema of its type: the user’s where there is one, else the catalog’s. Returns the data as
 * a user’s schema leaves it, a promise where that makes one. Throws, or rejects with, `PayloadError` `invalid_data`; a
 * payload that the interface does not publish is only warned about.
 */
export function checkData(
  type: string,
  data: unknown,
  schemas: Schemas | undefined,
  warnings: string[],
): Awaitable<unknown> {
  if (schemas && Object.hasOwn(schemas, type)) {
    const result = (schemas[type] as StandardSchema)['~standard'].validate(data)
    return isPending(result) ? Promise.resolve(result).then(outputOf) : outputOf(result)
  }
  if (!Object.hasOwn(catalog, type)) return data
  const { schema, published } = catalog[type as keyof typeof catalog]
  const result = schema.safeParse(data)
  if (result.success) return data
  const issues = describeIssues(result.error.issues)
  if (published) throw new PayloadError('invalid_data', issues)
  warnings.push(`data is not as expected: ${issues}`)
  return data
}

function outputOf(result: SchemaResult<unknown>): unknown {
  if (result.issues) throw new PayloadError('invalid_data', describeIssues(result.issues))
  return result.value
}

/** The paths alone: messages may quote values, and values are the customer’s. A long list is wrong in few ways. */
function describeIssues(issues: readonly SchemaIssue[]): string {
  const named = issues.slice(0, mostIssues)
  const paths = named.map(({ path = [] }) => ['data', ...path.map(segment)].join('.')).join(', ')
  return issues.length > mostIssues ? `${paths} and ${issues.length - mostIssues} more` : paths
}

const mostIssues = 20

const segment = (part: PropertyKey | { readonly key: PropertyKey }) =>
  String(typeof part === 'object' ? part.key : part)
