import type { SignatureScheme } from 'webhook-inbox'
import type { Options } from './command.js'
import { UsageError } from './exit.js'
import { readTextFile } from './read-file.js'

export const schemeOption = {
  scheme: {
    type: 'string',
    value: 'SCHEME',
    help: 'The signature scheme, as name=value pairs such as content=id.timestamp.body,encoding=base64, or a JSON file. Default: timestamp.body in hex',
  },
} as const satisfies Options

/** What `--scheme` says. Throws `UsageError` for an unknown name or value. */
export async function readScheme(given: string | undefined): Promise<SignatureScheme | undefined> {
  if (given === undefined) {
    return undefined
  }
  return check(given.includes('=') ? parsePairs(given) : parseFile(given, await readTextFile(given)))
}

function parsePairs(text: string): unknown {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) {
        throw new UsageError('--scheme must be name=value pairs with commas between them, or a JSON file')
      }
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    }),
  )
}

function parseFile(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${path} is not JSON`)
  }
}

/** The receiver’s own check, so that the command line accepts exactly what `createReceiver` does. */
async function check(scheme: unknown): Promise<SignatureScheme> {
  const { ConfigurationError, signPayload } = await import('webhook-inbox')
  try {
    // Signing is the smallest public function that checks a scheme. The secret is hex and base64 alike.
    await signPayload({ body: '', secret: '00000000', id: 'evt_1', scheme: scheme as SignatureScheme })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) {
      throw error
    }
    throw new UsageError(`--scheme: ${error.message}`)
  }
  return scheme as SignatureScheme
}
