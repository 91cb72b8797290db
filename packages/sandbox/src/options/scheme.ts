import type { SignatureScheme } from 'webhook-inbox'
import { OptionError } from './option-error.js'
import type { ReadFile } from './read-text.js'

const contents: Readonly<Record<string, SignatureScheme['content']>> = {
  't-body': 'timestamp.body',
  'id-t-body': 'id.timestamp.body',
  body: 'body',
}

const wanted = 'must be a name such as t-body-hex or id-t-body-base64, or a JSON file with a scheme'

/** The scheme with this name, or in this file. Throws `OptionError`. */
export function schemeOf(text: string, readFile: ReadFile): SignatureScheme {
  const [, content, encoding] = /^(id-t-body|t-body|body)-(hex|base64|base64url)$/.exec(text) ?? []
  if (content && encoding) {
    return { content: contents[content], encoding } as SignatureScheme
  }
  try {
    return JSON.parse(readFile(text)) as SignatureScheme
  } catch {
    throw new OptionError('scheme', wanted)
  }
}
