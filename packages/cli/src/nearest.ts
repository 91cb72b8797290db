/** The name that a misspelled one was probably meant to be; `undefined` if none is near. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const lower = word.toLowerCase()
  const [best] = names
    .map((name) => ({ name, edits: editDistance(lower, name) }))
    .sort((a, b) => a.edits - b.edits)
  if (best && best.edits <= Math.max(1, Math.floor(word.length / 3))) {
    return best.name
  }
  const longer = names.filter((name) => word.length > 1 && name.startsWith(lower))
  return longer.length === 1 ? longer[0] : undefined
}

/** `; did you mean --body?`, or nothing. `prefix` stands before the names and is not compared. */
export function didYouMean(word: string, names: readonly string[], prefix = ''): string {
  const name = nearest(word.slice(prefix.length), names)
  return name === undefined ? '' : `; did you mean ${prefix}${name}?`
}

/** How many letters to add, take away, change or swap with their neighbor (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let twoBack: number[] = []
  let before = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current[column] = Math.min(
        at(before, column) + 1,
        at(current, column - 1) + 1,
        at(before, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(twoBack, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    twoBack = before
    before = current
  }
  return at(before, b.length)
}

const at = (row: readonly number[], column: number) => row[column] ?? Number.POSITIVE_INFINITY
