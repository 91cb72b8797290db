import { inTurn } from '../in-turn.js'
import type { MaskAt } from './mask.js'
import { maskText } from './mask-text.js'

const mostPaths = 100
/** How many characters of a path are shown. A sender may put thousands of values below a key of a megabyte. */
const longestPath = 300
const token = /"(?:[^"\\]|\\.)*"|[^\s"]+/g

/**
 * The paths whose hidden values differ between two bodies, at most 100. A long path is cut, and ends with an ellipsis. Contains no
 * value. Empty for a body that is not JSON.
 */
export async function maskedDifferences(
  one: Uint8Array,
  other: Uint8Array,
  mask: MaskAt | undefined,
): Promise<string[]> {
  if (!mask) {
    return []
  }
  const before = await inTurn(() => hiddenTexts(one, mask))
  const after = await inTurn(() => hiddenTexts(other, mask))
  // A value that only one of them has is a line of the difference.
  const paths = [...before].filter(([path, text]) => after.has(path) && after.get(path) !== text)
  return paths.slice(0, mostPaths).map(([path]) => path)
}

/**
 * The text of each hidden value by its path. Values whose paths are cut to the same text are compared together. A number keeps its
 * digits, and white space between tokens does not count.
 */
function hiddenTexts(body: Uint8Array, mask: MaskAt): Map<string, string> {
  const found = new Map<string, string>()
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    JSON.parse(text)
    maskText(text, mask, (_, keys, read) => {
      const path = pathOf(keys)
      found.set(path, `${found.get(path) ?? ''} ${read().match(token)?.join('')}`)
    })
  } catch {
    // It is not JSON. The console does not show it.
  }
  return found
}

function pathOf(keys: readonly string[]): string {
  let path = ''
  for (const [level, key] of keys.entries()) {
    path += `${level === 0 ? '' : '.'}${key.slice(0, longestPath + 1)}`
    if (path.length > longestPath) {
      return `${path.slice(0, longestPath)}…`
    }
  }
  return path
}
