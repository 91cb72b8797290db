import type { SignatureScheme } from 'webhook-inbox'
import { parseScheme } from 'webhook-inbox-diagnose/scheme'
import type { Options } from './command.js'
import { UsageError } from './exit.js'
import { readTextFile } from './read-file.js'

const schemeForms =
  'a name such as t-body-hex or id-t-body-base64, pairs such as content=body,key=base64, or a JSON file'

export const schemeOption = {
  scheme: {
    type: 'string',
    value: 'NAME|PAIRS|FILE',
    help: `The signature scheme: ${schemeForms}. Default: t-body-hex`,
  },
} as const satisfies Options

/** The scheme of `--scheme`. Throws `UsageError`, and `ConfigurationError` for an unknown name or value. */
export async function readScheme(given: string | undefined): Promise<SignatureScheme | undefined> {
  if (given === undefined) {
    return undefined
  }
  const scheme = parseScheme(given) ?? parseFile(given, await readTextFile(given))
  const { signPayload } = await import('webhook-inbox')
  // Signing is the smallest public function that checks a scheme. The secret is hex and base64 alike.
  await signPayload({ body: '', secret: '00000000', id: 'evt_1', scheme })
  return scheme
}

function parseFile(path: string, text: string): SignatureScheme {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`--scheme must be ${schemeForms}, and ${path} is not JSON`)
  }
}
