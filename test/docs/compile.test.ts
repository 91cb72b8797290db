import { basename, dirname, join } from 'node:path'
import type ts from 'typescript'
import { expect, test } from 'vitest'
import { asModule, compile, messageOf, missingNames } from './compile.js'
import { type Block, blocks, root } from './documents.js'
import { surroundings } from './surroundings.js'

const programs = blocks.filter(({ language }) => language === 'ts' || language === 'tsx')

/** Each block becomes a module below the repository, so that it finds the installed packages. */
const pathOf = (block: Block) =>
  join(root, 'test/docs/blocks', `${basename(block.document, '.md')}-${block.line}.${block.language}`)

function complete(alone: ReadonlyMap<string, ts.Diagnostic[]>): Map<string, string> {
  return new Map(
    programs.map((block) => {
      const path = pathOf(block)
      const names = missingNames(alone.get(path) ?? [])
      // A reader copies a block with its imports, so they are either all there or all understood.
      const importsOurs = block.code.includes("from 'webhook-inbox")
      const isUnderstood = (line: string) => !(importsOurs && line.includes("from 'webhook-inbox"))
      const preamble = names.flatMap((name) => surroundings[name] ?? []).filter(isUnderstood)
      return [path, asModule([...preamble, block.code].join('\n'))]
    }),
  )
}

test('every block of TypeScript in every document compiles', () => {
  expect(programs.length).toBeGreaterThan(20)
  const alone = compile(new Map(programs.map((block) => [pathOf(block), asModule(block.code)])))
  const found = compile(complete(alone))
  const complaints = programs.flatMap((block) =>
    (found.get(pathOf(block)) ?? []).map(
      (each) =>
        `${join(dirname(block.document), basename(block.document))}:${block.line}: ${messageOf(each)}`,
    ),
  )
  expect(complaints).toEqual([])
}, 600_000)

test('a block that is wrong is found', () => {
  const path = join(root, 'test/docs/blocks/wrong.ts')
  const code = "import { createReceiver } from 'webhook-inbox'\ncreateReceiver({ secret: 'whsec_test' })"
  expect(
    compile(new Map([[path, code]]))
      .get(path)
      ?.map(messageOf),
  ).toEqual([expect.stringContaining('store')])
}, 600_000)
