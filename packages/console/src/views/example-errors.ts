/** A title of this length may have been cut. */
const cutLength = 199
/** How many characters that errors share are shown before the first difference. */
const mostBefore = 40
/** How many characters of an error are shown. */
const mostShown = 240

export const isCut = (title: string): boolean => title.length >= cutLength

/** The places of the titles that do not tell their cause: another title is equal, or it was cut. */
export function unclearTitles(titles: readonly string[]): number[] {
  return titles.flatMap((title, at) =>
    isCut(title) || titles.some((other, place) => place !== at && other === title) ? [at] : [],
  )
}

/**
 * The parts of errors that tell causes with one title apart: from the word before the first difference. `undefined` for each if they
 * do not differ. Of a single error it is the part behind a cut title.
 */
export function tellingParts(errors: readonly string[]): readonly (string | undefined)[] {
  const [first = '', ...others] = errors
  let same = others.length > 0 ? 0 : cutLength
  while (same < first.length && others.length > 0 && others.every((other) => other[same] === first[same])) {
    same++
  }
  if (others.length > 0 && others.every((other) => other === first)) {
    return errors.map(() => undefined)
  }
  const start = same > mostBefore ? first.lastIndexOf(' ', same - mostBefore / 2) + 1 : 0
  return errors.map((error) => {
    const part = error.slice(start, start + mostShown)
    return part && `${start > 0 ? '…' : ''}${part}${start + mostShown < error.length ? '…' : ''}`
  })
}
