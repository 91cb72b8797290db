import type { SignatureScheme } from 'webhook-inbox'
import { parseScheme } from 'webhook-inbox-diagnose/scheme'
import { OptionError } from './option-error.js'
import type { ReadFile } from './read-text.js'

const wanted =
  'must be a name such as t-body-hex or id-t-body-base64, pairs such as content=body,key=base64, or a JSON file'

/** The scheme with this name, the scheme in these pairs, or the scheme in this file. Throws `OptionError`. */
export function schemeOf(text: string, readFile: ReadFile): SignatureScheme {
  const scheme = parseScheme(text)
  if (scheme) {
    return scheme
  }
  try {
    return JSON.parse(readFile(text)) as SignatureScheme
  } catch {
    throw new OptionError('scheme', wanted)
  }
}
