import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { fixture, knownTypes } from 'webhook-inbox/testing'
import { UsageError } from '../exit.js'
import { localPath } from '../local-path.js'
import { didYouMean } from '../nearest.js'
import { readBytes } from '../read-file.js'
import { doubtfulFields } from './doubtful-field.js'
import { setFields } from './set-fields.js'

/** The bytes to send. */
export interface EventToSend {
  readonly body: Uint8Array
  /** For the Service-Event-Id header; `undefined` if the body has none that a header can carry. */
  readonly id: string | undefined
  /** What to call it in the output. */
  readonly name: string
  /** A note for the user before the event is sent. */
  readonly note?: string
  /** Fields that were set and that no receiver reads. */
  readonly warnings?: readonly string[]
}

interface Wishes {
  /** `path=value`, from `--set`. */
  readonly fields: readonly string[]
  readonly envelope: 'camel' | 'snake' | undefined
  readonly stdin: Readable
}

/**
 * The event that a TYPE or FILE names: `-`, a path, or a name that ends in `.json` is a file; anything else a type.
 * Throws `UsageError` for a file that cannot be read, or that cannot be changed because it is not a JSON object.
 */
export function readEvent(what: string, wishes: Wishes): Promise<EventToSend> {
  const isFile = what === '-' || /[/\\]|\.json$/i.test(what)
  return isFile ? fromFile(what, wishes) : ofType(what, wishes)
}

async function fromFile(path: string, { fields, envelope, stdin }: Wishes): Promise<EventToSend> {
  if (envelope !== undefined) {
    throw new UsageError('--envelope is for a TYPE; a file has its own envelope')
  }
  const read = await readBytes(path, stdin)
  const bytes = bodyOfFixture(asObject(read)) ?? read
  const event = asObject(bytes)
  const name = path === '-' ? 'standard input' : basename(localPath(path))
  if (fields.length === 0) {
    return { body: bytes, id: idOf(event), name }
  }
  if (!event) {
    throw new UsageError(`--set needs a JSON object, and ${name} is none`)
  }
  const changed = setFields(event, fields)
  return {
    body: Buffer.from(JSON.stringify(changed)),
    id: idOf(changed),
    name,
    warnings: doubtfulFields(event, fields),
  }
}

/**
 * The body of a fixture, which the console and the inspector copy as `headers` and `body`. Its signature is old, so only the
 * body is sent. `undefined` for an event.
 */
function bodyOfFixture(file: Record<string, unknown> | undefined): Uint8Array | undefined {
  const isFixture = typeof file?.body === 'string' && typeof file.headers === 'object' && !('type' in file)
  return isFixture ? Buffer.from(file.body as string) : undefined
}

const noSampleData = (type: string, suggestion: string) =>
  `${type} has no sample data${suggestion || '; give it some with --set'}`

async function ofType(type: string, { fields, envelope }: Wishes): Promise<EventToSend> {
  const representation = envelope === 'snake' ? 'snake_case' : 'camelCase'
  const { body } = await fixture(type, { representation })
  const sample = asObject(body) as Record<string, unknown>
  const event = setFields(sample, fields)
  const isKnown = (knownTypes as readonly string[]).includes(type)
  const suggestion = didYouMean(type, knownTypes)
  return {
    body: fields.length === 0 ? body : Buffer.from(JSON.stringify(event)),
    id: idOf(event),
    name: `${type} ${idOf(event) ?? ''}`.trim(),
    warnings: doubtfulFields(sample, fields),
    ...(!isKnown && (suggestion || fields.length === 0) && { note: noSampleData(type, suggestion) }),
  }
}

function asObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function idOf(event: Record<string, unknown> | undefined): string | undefined {
  const id = event?.id
  return typeof id === 'string' && /^[!-~]+$/.test(id) ? id : undefined
}
