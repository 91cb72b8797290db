import type { Change } from './causes.js'
import type { Reading } from './header.js'
import type { FullScheme } from './scheme.js'

/** What may stand before the body in the signed content. */
export interface Head {
  readonly text: string
  readonly content: FullScheme['content']
  readonly changes: readonly Change[]
}

const contents = ['timestamp.body', 'id.timestamp.body', 'body'] as const

/** An event id that the signed content may have been made with. */
export interface IdCandidate {
  readonly id: string | undefined
  readonly changes: readonly Change[]
}

/** Every head for one reading of the header, the configured one first. */
export function heads(
  { timestampText }: Reading,
  ids: readonly IdCandidate[],
  configured: FullScheme['content'],
): Head[] {
  return contents.flatMap((content): Head[] => {
    const changes: Change[] =
      content === configured
        ? []
        : [{ code: 'signed_content', evidence: `The signed content is ${content}, not ${configured}.` }]
    if (content === 'body') {
      return [{ text: '', content, changes }]
    }
    return times(timestampText).flatMap((time): Head[] => {
      if (content === 'timestamp.body') {
        return [{ text: `${time.text}.`, content, changes: [...changes, ...time.changes] }]
      }
      return ids
        .filter(({ id }) => id !== undefined && /^[!-\-/-~]+$/.test(id))
        .map((id) => ({
          text: `${id.id}.${time.text}.`,
          content,
          changes: [...changes, ...time.changes, ...id.changes],
        }))
    })
  })
}

/** The literal digits of `t`, which are what is signed; and in the other unit, in case the sender mixes them up. */
function times(timestampText: string): { text: string; changes: Change[] }[] {
  const literal = { text: timestampText, changes: [] }
  if (timestampText.length > 12) {
    return [literal, inUnit(timestampText.slice(0, -3), 'seconds')]
  }
  return [literal, inUnit(`${timestampText}000`, 'milliseconds')]
}

function inUnit(text: string, unit: string) {
  const evidence = `The signed content begins with the time in ${unit}; the header has another unit.`
  return { text, changes: [{ code: 'timestamp_in_milliseconds', evidence } as Change] }
}
