import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from './imports.js'

/** The documents that explain codes and options. */
export const readme = ['README.md', 'docs/codes.md', 'docs/options.md', 'docs/stores.md']
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')

/** Returns the cells of each row of the table whose first head cell is `head`. */
export function tableRows(head: string): string[][] {
  const lines = readme.split('\n')
  const start = lines.findIndex((line) => cells(line)[0] === head)
  if (start < 0) {
    return []
  }
  const rows: string[][] = []
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith('|')) {
      break
    }
    rows.push(cells(line))
  }
  return rows
}

/** A `|` inside a cell is written `\|`. */
const cells = (line: string) =>
  line.startsWith('|')
    ? line
        .replace(/^\||\|\s*$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim())
    : []

/** Returns the options that interfaces of a source file declare, with the defaults of their docstrings. */
export function documentedOptions(file: string, ...interfaces: string[]): Record<string, string> {
  const text = readFileSync(join(root, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const options: Record<string, string> = {}
  for (const statement of source.statements) {
    if (!ts.isInterfaceDeclaration(statement) || !interfaces.includes(statement.name.text)) {
      continue
    }
    for (const member of statement.members) {
      if (member.name) {
        options[member.name.getText()] = defaultOf(ts.getJSDocCommentsAndTags(member)[0])
      }
    }
  }
  return options
}

/** `Default 300 s.` -> `300 s`, `Default: all.` -> `all`, `Required.` -> `required`, neither -> `none`. */
function defaultOf(doc: ts.Node | undefined): string {
  const text = (doc?.getText() ?? '').replaceAll(/\s*\n\s*\*?\s*/g, ' ')
  const match = /\bDefault:? (.+?)(?=[.:;](?:\s|$)| \()/.exec(text)
  if (match) {
    return match[1] as string
  }
  return /\bRequired\b/.test(text) ? 'required' : 'none'
}
