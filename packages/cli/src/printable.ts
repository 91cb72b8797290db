/**
 * Text from outside, made safe for a terminal: escape sequences in an event id or an answer could repaint the screen.
 * Control characters and those that change the direction of text are written as escapes.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character]
    return short ?? `\\u{${character.codePointAt(0)?.toString(16)}}`
  })
}

/** {@link printable}, cut to a length. */
export function excerpt(text: string, length: number): string {
  const safe = printable(text)
  return safe.length <= length ? safe : `${safe.slice(0, length - 1)}…`
}
