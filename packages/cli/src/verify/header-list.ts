import { UsageError } from '../exit.js'

/**
 * Headers in the order of the request. Repeated headers are not joined, because a repeated signature header is a cause
 * to find.
 */
export class HeaderList {
  constructor(readonly entries: readonly (readonly [name: string, value: string])[]) {}

  /** `Name: value`, one a line. Throws `UsageError` for any other line. */
  static fromLines(path: string, lines: readonly string[]): HeaderList {
    return new HeaderList(
      lines
        .filter((line) => line.trim() !== '')
        .map((line) => {
          const colon = line.indexOf(':')
          const name = line.slice(0, Math.max(0, colon))
          if (!/^\S+$/.test(name)) {
            throw new UsageError(`${path} has a line that is no header (Name: value)`)
          }
          return [name, withoutSpaceAround(line.slice(colon + 1))]
        }),
    )
  }

  all(name: string): string[] {
    return this.entries.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)
  }

  one(name: string): string | undefined {
    return this.all(name)[0]
  }

  /** Names of other headers that look like the signature header, in case a proxy renamed it. */
  lookalikes(): string[] {
    return this.entries
      .filter(
        ([name, value]) => name.toLowerCase() !== 'service-signature' && /\bt=\d+\s*,\s*v\d+=/.test(value),
      )
      .map(([name]) => name)
  }
}

/** Loops, because a regular expression takes quadratic time on a long run of spaces inside the value. */
function withoutSpaceAround(value: string): string {
  let [start, end] = [0, value.length]
  while (value[start] === ' ' || value[start] === '\t') {
    start++
  }
  while (end > start && (value[end - 1] === ' ' || value[end - 1] === '\t')) {
    end--
  }
  return value.slice(start, end)
}
