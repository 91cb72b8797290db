/** Breaks a text between words so that no line is longer than `width`, unless one word is. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

/** Terms with their explanations beside them, or below them if the terminal is narrow. */
export function definitions(
  entries: readonly (readonly [term: string, text: string])[],
  width: number,
): string[] {
  const longest = Math.max(...entries.map(([term]) => term.length))
  const indent = longest + 4
  const isNarrow = width - indent < 24
  return entries.flatMap(([term, text]) => {
    if (isNarrow) {
      return [`  ${term}`, ...wrap(text, Math.max(width - 6, 16)).map((line) => `      ${line}`)]
    }
    const [first = '', ...rest] = wrap(text, width - indent)
    return [`  ${term.padEnd(longest)}  ${first}`, ...rest.map((line) => ' '.repeat(indent) + line)]
  })
}
