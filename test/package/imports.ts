import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Import {
  /** The importing file, from the root of the repository, with slashes. */
  readonly from: string
  /** The imported file, from the root, or the package name as written. */
  readonly to: string
  readonly isLocal: boolean
  /** Whether the compiler erases it, so that nothing is loaded. */
  readonly isType: boolean
}

/** Every TypeScript file below a folder of the repository, from its root. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
}

/** Returns every import of a file, in every form of TypeScript. */
export function importsOf(file: string): Import[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  const found: Import[] = []
  const add = (specifier: ts.Node | undefined, isType: boolean) => {
    if (!specifier) {
      return
    }
    if (!ts.isStringLiteralLike(specifier)) {
      throw new Error(`${file} imports a computed name`)
    }
    found.push({ from: file, isType, ...resolve(file, specifier.text) })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.isTypeOnly ?? false)
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly)
    } else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node, true)
    } else if (ts.isExternalModuleReference(node)) {
      add(node.expression, false)
    } else if (ts.isCallExpression(node) && isLoad(node.expression)) {
      add(node.arguments[0], false)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const isLoad = (callee: ts.Expression) =>
  callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require')

function resolve(from: string, specifier: string): { to: string; isLocal: boolean } {
  // Two builds with one type: where rules are concerned the import goes to both, and `node.ts` is the one with a rule.
  if (specifier === '#crypto') {
    return { to: 'src/signature/crypto/node.ts', isLocal: true }
  }
  if (!specifier.startsWith('.')) {
    return { to: specifier, isLocal: false }
  }
  const path = join(dirname(from), specifier).replaceAll('\\', '/')
  return { to: path.replace(/\.js$/, '.ts'), isLocal: true }
}
