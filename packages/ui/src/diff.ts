export interface DiffLine {
  /** `same` in both, `left` or `right` in one alone. */
  readonly side: 'same' | 'left' | 'right'
  readonly text: string
}

/** More lines than this are compared as a whole: the table of the comparison grows with their product. */
const mostLines = 2000

/** Compares two texts line by line: the longest common subsequence. */
export function diffLines(left: readonly string[], right: readonly string[]): DiffLine[] {
  if (left.length > mostLines || right.length > mostLines) {
    return [
      ...left.map((text) => ({ side: 'left', text }) as const),
      ...right.map((text) => ({ side: 'right', text }) as const),
    ]
  }
  const [a = [], b = []] = numbered(left, right)
  const width = right.length + 1
  const common = new Uint16Array((left.length + 1) * width)
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j]
          ? (common[(i + 1) * width + j + 1] as number) + 1
          : Math.max(common[(i + 1) * width + j] as number, common[i * width + j + 1] as number)
    }
  }
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < left.length || j < right.length) {
    if (i < left.length && a[i] === b[j]) {
      lines.push({ side: 'same', text: left[i] as string })
      i++
      j++
    } else if (
      j >= right.length ||
      (i < left.length && (common[(i + 1) * width + j] as number) >= (common[i * width + j + 1] as number))
    ) {
      lines.push({ side: 'left', text: left[i] as string })
      i++
    } else {
      lines.push({ side: 'right', text: right[j] as string })
      j++
    }
  }
  return lines
}

/** The same number for the same line. To compare the lines themselves takes long, if they are long and begin alike. */
function numbered(...texts: readonly (readonly string[])[]): number[][] {
  const numbers = new Map<string, number>()
  return texts.map((lines) =>
    lines.map((line) => {
      const number = numbers.get(line) ?? numbers.size
      numbers.set(line, number)
      return number
    }),
  )
}
