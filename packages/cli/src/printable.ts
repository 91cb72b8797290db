/**
 * Text from outside, made safe for a terminal: escape sequences in an event id or a response could repaint the screen.
 * Control characters and those that change the direction of text are written as escapes.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character]
    return short ?? `\\u{${character.codePointAt(0)?.toString(16)}}`
  })
}

/** Colors that we set ourselves, and line breaks; or a character that is not safe for a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a color begins with one.
const ownOrUnsafe = /\u001b\[(?:[0-7]|2[2-9]|[349]\d|10[0-7])m|\n|([\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}])/gu

/** A whole line, with whatever text from outside was put into it made safe. */
export const printableLine = (line: string): string =>
  line.replace(ownOrUnsafe, (match, unsafe) => (unsafe === undefined ? match : printable(match)))

/** JSON on one line, without characters that control a terminal. JSON.stringify does not escape those above U+007E. */
export const printableJson = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )

/** {@link printable}, cut to a length. */
export function excerpt(text: string, length: number): string {
  const safe = printable(text)
  return safe.length <= length ? safe : `${safe.slice(0, length - 1)}…`
}
