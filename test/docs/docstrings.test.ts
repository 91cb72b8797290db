import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { asModule, compile, messageOf, missingNames } from './compile.js'
import { root } from './documents.js'
import { surroundings } from './surroundings.js'

/** A public function or type, and where users import it from. */
interface PublicName {
  readonly name: string
  readonly specifier: string
  readonly file: string
  readonly isFunction: boolean
  readonly examples: readonly string[]
}

/** Parts of `webhook-inbox/adapter` that only authors of adapters use. */
const partsOfAdapters = ['requireReceiver', 'guardRoute', 'withLifespan', 'answer', 'isUploading']

const sourceOf = (built: string) => join(root, built.replace('./dist/', '').replace(/\.js$/, '.ts'))

const names = publicNames()

function publicNames(): PublicName[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { default?: string }>
  }
  const entries = Object.entries(exports).flatMap(([subpath, { default: file }]) =>
    file ? [{ specifier: `webhook-inbox${subpath.slice(1)}`, path: sourceOf(file) }] : [],
  )
  const program = ts.createProgram(
    entries.map(({ path }) => path),
    {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      skipLibCheck: true,
      types: ['node'],
    },
  )
  const checker = program.getTypeChecker()
  const found = new Map<ts.Symbol, PublicName>()
  for (const { specifier, path } of entries) {
    const source = program.getSourceFile(path) as ts.SourceFile
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      const [declaration] = symbol.declarations ?? []
      if (!declaration || found.has(symbol)) {
        continue
      }
      const tags = symbol.getJsDocTags(checker).filter(({ name }) => name === 'example')
      found.set(symbol, {
        name: exported.name,
        specifier,
        file: relative(root, declaration.getSourceFile().fileName),
        isFunction: (symbol.flags & ts.SymbolFlags.Function) !== 0,
        examples: tags.map(({ text }) => ts.displayPartsToString(text)),
      })
    }
  }
  return [...found.values()]
}

/** Imports and declarations for the names that an example uses. */
const preambleOf = (missing: readonly string[]) =>
  missing.flatMap((name) => {
    const known = names.find((each) => each.name === name)
    return surroundings[name] ?? (known ? `import { ${name} } from '${known.specifier}'` : [])
  })

describe('the docstrings', () => {
  test('give an example of every public function', () => {
    const functions = names.filter(({ isFunction, name }) => isFunction && !partsOfAdapters.includes(name))
    expect(functions.length).toBeGreaterThan(30)
    expect(functions.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([])
  })

  test('have examples that compile', () => {
    const all = new Map(
      names.flatMap(({ name, examples }) =>
        examples.map((code, i) => [join(root, `test/docs/blocks/docstring-${name}-${i}.ts`), code] as const),
      ),
    )
    const alone = compile(new Map([...all].map(([path, code]) => [path, asModule(code)])))
    const whole = new Map(
      [...all].map(([path, code]) => [
        path,
        asModule([...preambleOf(missingNames(alone.get(path) ?? [])), code].join('\n')),
      ]),
    )
    const complaints = [...compile(whole)].flatMap(([path, found]) =>
      found.map((each) => `${relative(root, path)}: ${messageOf(each)}`),
    )
    expect(complaints).toEqual([])
  }, 600_000)
})
