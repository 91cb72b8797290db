import { describe } from '../src/api/document.js'
import { listEvents } from '../src/delivery/events.js'
import { type Answer, answersOf, openFixedService } from './answers.js'

interface Media {
  examples?: Record<string, { readonly value: unknown }>
}

interface Content {
  readonly content: Readonly<Record<string, Media>>
}

interface Operation {
  readonly operationId: string
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content | { readonly $ref: string }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: { readonly event: { readonly post: { readonly requestBody: Content } } }
  readonly components: { readonly responses: Readonly<Record<string, Content>> }
}

const json = 'application/json'

/** The text of `openapi.json`: the routes, with the true answers of a sandbox as examples. */
export async function openApiText(): Promise<string> {
  const fixed = openFixedService()
  try {
    const document = describe(fixed.app) as unknown as Document
    for (const answer of await answersOf(fixed)) {
      addExample(document, answer)
    }
    addEvents(document, fixed.service.database)
    return `${JSON.stringify(document, undefined, 2)}\n`
  } finally {
    await fixed.close()
  }
}

function addExample(document: Document, { call, status, body }: Answer): void {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
  const operation = operations.find(({ operationId }) => operationId === call.operationId)
  if (call.operationId && !operation) {
    throw new Error(`There is no operation ${call.operationId}.`)
  }
  const name = call.title.replace(/\W+/g, '_')
  if (operation?.requestBody && status < 300) {
    addTo(operation.requestBody.content[json], name, call.body)
  }
  if (body === undefined) {
    return
  }
  const declared = operation?.responses[status]
  const own = declared && 'content' in declared ? declared : document.components.responses[status]
  addTo(Object.values(own?.content ?? {})[0], name, body)
}

function addEvents(document: Document, database: Parameters<typeof listEvents>[0]): void {
  const [event] = listEvents(database, { limit: 100 }).filter(({ type }) => type === 'transfer.settled')
  if (!event) {
    throw new Error('No transfer has settled.')
  }
  const media = document.webhooks.event.post.requestBody.content[json]
  for (const [name, bytes] of Object.entries(event.bodies)) {
    addTo(media, name, JSON.parse(Buffer.from(bytes).toString()))
  }
}

function addTo(media: Media | undefined, name: string, value: unknown): void {
  if (!media) {
    throw new Error(`The document has no place for the example ${name}.`)
  }
  media.examples ??= {}
  media.examples[name] = { value }
}
