import { join } from 'node:path'
import ts from 'typescript'
import { root } from './documents.js'

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
  // The newest version that we support. The tests of the queue also run on older ones.
  paths: { 'pg-boss': [join(root, 'node_modules/pg-boss12')] },
  typeRoots: [join(root, 'node_modules/@types')],
}

/** Returns the diagnostics of each file, by path. */
export function compile(files: ReadonlyMap<string, string>): Map<string, ts.Diagnostic[]> {
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
export const asModule = (code: string) => `${code}\nexport {}\n`

export const messageOf = ({ messageText }: ts.Diagnostic) =>
  ts.flattenDiagnosticMessageText(messageText, '\n')

/** Returns the names that a block uses and does not declare. */
export const missingNames = (diagnostics: readonly ts.Diagnostic[]) => [
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
