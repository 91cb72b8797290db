import { objectOf, unusable } from './answer.js'
import { ApiError, UsageError } from './errors.js'
import { type List, list, type PageOptions } from './list.js'
import type { CallOptions, Settings } from './options.js'
import { send } from './send.js'

/** The verbs of one resource, at its path. */
export interface Endpoint<Resource> {
  create<Created = Resource>(body: object, options?: CallOptions): Promise<Created>
  get(id: string, options?: CallOptions): Promise<Resource>
  /** Reads what has a path below one resource, such as the balance of a wallet. */
  getPart<Part>(id: string, part: string, options?: CallOptions): Promise<Part>
  remove(id: string, options?: CallOptions): Promise<void>
  list(from?: PageOptions, options?: CallOptions): List<Resource>
}

/**
 * A resource at a path from the root. A response must be a JSON object. Its fields are not checked, because most of them
 * are not published. If a field changes, a successful transfer must not look like a failure.
 */
export function endpoint<Resource>(settings: Settings, path: string): Endpoint<Resource> {
  const read = async (below: string, options: CallOptions = {}) =>
    objectOf(await send(settings, { method: 'GET', path: path + below }, options))
  return {
    async create<Created>(body: object, options: CallOptions = {}) {
      const sent = await send(settings, { method: 'POST', path, body }, options)
      const created = objectOf(sent)
      if (typeof created.id === 'string') {
        return created as Created
      }
      throw unusable(sent, 'the body has no id')
    },
    async get(id, options) {
      return (await read(segment(id), options)) as Resource
    },
    async getPart<Part>(id: string, part: string, options?: CallOptions) {
      return (await read(`${segment(id)}/${part}`, options)) as Part
    },
    async remove(id, options = {}) {
      let mayBeDeleted = false
      const onRetry = (mayHaveActed: boolean) => {
        mayBeDeleted = mayHaveActed
      }
      try {
        await send(settings, { method: 'DELETE', path: path + segment(id) }, options, onRetry)
      } catch (failure) {
        // An earlier request of this call may have deleted it, and its response was lost.
        if (!(mayBeDeleted && failure instanceof ApiError && failure.status === 404)) {
          throw failure
        }
      }
    },
    list: (from = {}, options = {}) => list<Resource>(settings, path, from, options),
  }
}

/** An id as one segment of a path. `..` would name another resource, and an empty id would name the list. */
function segment(id: string): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..') {
    return `/${encodeURIComponent(id)}`
  }
  throw new UsageError('invalid_id', 'an id must be a string that is not empty')
}
