import { basename, dirname, join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { type Block, blocks, root } from './documents.js'
import { surroundings } from './surroundings.js'

const programs = blocks.filter(({ language }) => language === 'ts' || language === 'tsx')

const options: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
}

/** Each block becomes a module below the repository, so that it finds the installed packages. */
const pathOf = (block: Block) =>
  join(root, 'test/docs/blocks', `${basename(block.document, '.md')}-${block.line}.${block.language}`)

/** Returns the diagnostics of each file, by path. */
function compile(files: ReadonlyMap<string, string>): Map<string, ts.Diagnostic[]> {
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.getSourceFile = (path, ...rest) => {
    const text = files.get(path)
    return text === undefined
      ? getSourceFile.call(host, path, ...rest)
      : ts.createSourceFile(path, text, ts.ScriptTarget.ES2022)
  }
  host.fileExists = (path) => files.has(path) || fileExists.call(host, path)
  host.readFile = (path) => files.get(path) ?? readFile.call(host, path)
  const program = ts.createProgram([...files.keys()], options, host)
  return new Map(
    [...files.keys()].map((path) => {
      const source = program.getSourceFile(path)
      return [path, [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]]
    }),
  )
}

/** Without an import or an export a file would share its names with all others. */
const asModule = (code: string) => `${code}\nexport {}\n`

const messageOf = ({ messageText }: ts.Diagnostic) => ts.flattenDiagnosticMessageText(messageText, '\n')

/** Returns the names that a block uses and does not declare. */
const missingNames = (diagnostics: readonly ts.Diagnostic[]) => [
  ...new Set(
    diagnostics.flatMap(
      (each) =>
        /^Cannot find name '(\w+)'|^No value exists in scope for the shorthand property '(\w+)'/
          .exec(messageOf(each))
          ?.slice(1)
          .filter(Boolean) ?? [],
    ),
  ),
]

function complete(alone: ReadonlyMap<string, ts.Diagnostic[]>): Map<string, string> {
  return new Map(
    programs.map((block) => {
      const path = pathOf(block)
      const names = missingNames(alone.get(path) ?? [])
      const preamble = names.flatMap((name) => surroundings[name] ?? [])
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
}, 120_000)

test('a block that is wrong is found', () => {
  const path = join(root, 'test/docs/blocks/wrong.ts')
  const code = "import { createReceiver } from 'webhook-inbox'\ncreateReceiver({ secret: 'whsec_test' })"
  expect(
    compile(new Map([[path, code]]))
      .get(path)
      ?.map(messageOf),
  ).toEqual([expect.stringContaining('store')])
}, 120_000)
