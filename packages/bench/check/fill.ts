import { readFileSync, writeFileSync } from 'node:fs'

/** Replaces the text between `<!-- NAME:start -->` and `<!-- NAME:end -->` in a document. */
export function fill(file: URL, name: string, text: string): void {
  const document = readFileSync(file, 'utf8')
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
  const [from, to] = [document.indexOf(start), document.indexOf(end)]
  if (from < 0 || to < from) {
    throw new Error(`${file.pathname} has no ${start} ... ${end}`)
  }
  writeFileSync(file, `${document.slice(0, from + start.length)}\n${text}\n${document.slice(to)}`)
}
