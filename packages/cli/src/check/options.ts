import { UsageError } from '../exit.js'
import { readTextFile } from '../read-file.js'

/** The values of `--envelope`. */
export const envelopes = { both: 'both', camel: 'camelCase', snake: 'snake_case' } as const

/** The type and data of the event in a file. Throws `UsageError` if there is none. */
export async function readSample(path: string): Promise<{ type: string; data: object }> {
  const text = await readTextFile(path)
  const { PayloadError, parseEvent } = await import('webhook-inbox')
  try {
    const { type, data } = parseEvent(Buffer.from(text))
    return { type, data: data as object }
  } catch (error) {
    if (!(error instanceof PayloadError)) {
      throw error
    }
    throw new UsageError(`${path} is not an event: ${error.message}`)
  }
}
