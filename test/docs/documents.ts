import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A document, by its path from the root of the repository. */
export interface Document {
  readonly path: string
  readonly text: string
}

/** A fenced block of code. */
export interface Block {
  readonly document: string
  /** The line of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  /** The text after the language, for example `run=server` for a program that the tests run. */
  readonly meta: string
  readonly code: string
}

/** Every Markdown document of the repository. */
export const documents: readonly Document[] = [
  ...markdownIn('.', false),
  ...markdownIn('docs', true),
  ...markdownIn('examples', true),
  ...markdownIn('packages', true),
].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

function markdownIn(folder: string, isDeep: boolean): string[] {
  return readdirSync(join(root, folder), { recursive: isDeep, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !/(?:^|\/)(?:node_modules|dist|\.next|api)\//.test(path))
    .sort()
}

export const blocks: readonly Block[] = documents.flatMap(blocksOf)

function blocksOf({ path, text }: Document): Block[] {
  const found: Block[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const fence = /^(\s*)(```+)(\w*) ?(.*)$/.exec(lines[at] as string)
    if (!fence) {
      continue
    }
    const [, indent = '', ticks = '', language = '', meta = ''] = fence
    const start = at
    const code: string[] = []
    for (at++; at < lines.length && lines[at]?.trim() !== ticks; at++) {
      code.push((lines[at] as string).slice(indent.length))
    }
    found.push({ document: path, line: start + 1, language, meta: meta.trim(), code: code.join('\n') })
  }
  return found
}

/** The block of a document whose fence says `run=NAME`. */
export function runnable(document: string, name: string): string {
  const block = blocks.find((each) => each.document === document && each.meta === `run=${name}`)
  if (!block) {
    throw new Error(`${document} has no block with run=${name}`)
  }
  return block.code
}
