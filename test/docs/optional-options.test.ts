import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { root } from './documents.js'

/** What a program gets from us, or implements: not options that it gives. */
const notOptions = [
  'src/event/',
  'src/store/',
  'src/result.ts',
  'src/queue/queue.ts',
  'packages/client/src/schemas/meta.ts',
  'packages/sandbox/src/program/',
]

/** The module of each public subpath of a package. */
function entriesOf(folder: string): string[] {
  const { exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    exports: Record<string, { default?: string }>
  }
  return Object.values(exports).flatMap(({ default: file }) =>
    file?.endsWith('.js')
      ? [join(root, folder, file.replace('./dist/', folder === '' ? '' : 'src/').replace(/\.js$/, '.ts'))]
      : [],
  )
}

/** The optional properties, in what public functions take, that do not accept `undefined`. */
function refusing(folder: string): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const entries = entriesOf(folder)
  const program = ts.createProgram(entries, { ...options, noEmit: true })
  const checker = program.getTypeChecker()
  const seen = new Set<ts.Type>()
  const found = new Set<string>()

  function look(type: ts.Type): void {
    if (seen.has(type)) {
      return
    }
    seen.add(type)
    if (type.isUnionOrIntersection()) {
      type.types.forEach(look)
      return
    }
    // The options of a client, such as that of a database, are not ours. Nor is a handler.
    for (const property of type.getCallSignatures().length > 0 ? [] : checker.getPropertiesOfType(type)) {
      const declaration = property.valueDeclaration
      if (!declaration || !ts.isPropertySignature(declaration)) {
        continue
      }
      const path = relative(root, declaration.getSourceFile().fileName)
      if (/node_modules|^dist\//.test(path) || notOptions.some((each) => path.startsWith(each))) {
        continue
      }
      const given = declaration.type && checker.getTypeFromTypeNode(declaration.type)
      if (given && property.flags & ts.SymbolFlags.Optional && !acceptsUndefined(given)) {
        found.add(`${path}: ${property.name}`)
      }
      look(checker.getTypeOfSymbolAtLocation(property, declaration))
    }
  }

  const lookAtParameters = (type: ts.Type): void => {
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      for (const parameter of signature.parameters) {
        look(checker.getTypeOfSymbol(parameter))
      }
    }
  }

  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile)
    for (const exported of checker.getExportsOfModule(module as ts.Symbol)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      if (symbol.flags & ts.SymbolFlags.Value) {
        lookAtParameters(checker.getTypeOfSymbol(symbol))
      }
      if (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) {
        for (const member of checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))) {
          lookAtParameters(checker.getTypeOfSymbol(member))
        }
      }
    }
  }
  return [...found].sort()
}

function acceptsUndefined(type: ts.Type): boolean {
  const open = ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Undefined
  return (type.flags & open) !== 0 || (type.isUnion() && type.types.some(acceptsUndefined))
}

// `{ endpoint: process.env.ENDPOINT }` is common, and with `exactOptionalPropertyTypes` it compiles only then.
test.each(['', 'packages/client', 'packages/sandbox', 'packages/console', 'packages/diagnose'])(
  'every optional option of %j accepts undefined',
  (folder) => {
    expect(entriesOf(folder)).not.toEqual([])
    expect(refusing(folder)).toEqual([])
  },
)
