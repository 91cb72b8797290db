import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { root } from './imports.js'
import { subpaths } from './subpaths.js'

/** The declarations that a subpath needs beside those of the language, the web and Node. */
const peers: Readonly<Record<string, string>> = { 'webhook-inbox/fastify': 'fastify' }
/** These subpaths use requests, responses and buffers of Node. */
const ofNode = ['adapter', 'express', 'fastify', 'koa', 'next', 'node', 'testing'].map(
  (name) => `webhook-inbox/${name}`,
)

const strict: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  // Shows errors in our declarations, as for users who do not skip library checks.
  skipLibCheck: false,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
}
const nodeNext = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }
const bundler = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }
const onNode = { lib: ['lib.es2023.d.ts'], types: ['node'] }
const onTheWeb = { lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], types: [] }

interface User {
  readonly files: readonly string[]
  readonly specifiers: readonly string[]
  readonly options: ts.CompilerOptions
}

const users: readonly (readonly [who: string, user: User])[] = [
  [
    'modules of both kinds on Node',
    { files: ['user.mts', 'user.cts'], specifiers: subpaths, options: { ...nodeNext, ...onNode } },
  ],
  ['a bundler on Node', { files: ['user.ts'], specifiers: subpaths, options: { ...bundler, ...onNode } }],
  [
    'a bundler for the web',
    {
      files: ['web.ts'],
      specifiers: subpaths.filter((specifier) => !ofNode.includes(specifier)),
      options: { ...bundler, ...onTheWeb },
    },
  ],
]

describe('the declarations serve', () => {
  const folder = join(dirname(inject('consumer')), 'typed')

  beforeAll(async () => {
    await cp(inject('consumer'), folder, { recursive: true })
    await mkdir(join(folder, 'node_modules/@types'), { recursive: true })
    for (const name of ['@types/node', ...Object.values(peers)]) {
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction')
    }
  })

  it.each(users)('%s', async (_, { files, specifiers, options }) => {
    const imports = specifiers.map((specifier, i) => `import * as _${i} from '${specifier}'`)
    const uses = specifiers.map((_, i) => `_${i}`)
    const text = [...imports, `export const all = [${uses.join(', ')}]`].join('\n')
    const paths = files.map((file) => join(folder, file))
    await Promise.all(paths.map((path) => writeFile(path, text)))
    expect(complaints(paths, options)).toEqual([])
  })

  it('reject a wrong program', async () => {
    const path = join(folder, 'wrong.mts')
    await writeFile(
      path,
      `import { createReceiver } from 'webhook-inbox'
       createReceiver({ secret: 'whsec_test_secret', fallback() {} })`,
    )
    expect(complaints([path], { ...nodeNext, ...onNode })).toEqual([expect.stringContaining('store')])
  })

  /** Returns the diagnostics of the programs and of our declarations. Those of other packages are not ours to fix. */
  function complaints(paths: readonly string[], options: ts.CompilerOptions): string[] {
    const typeRoots = [join(folder, 'node_modules/@types')]
    const program = ts.createProgram([...paths], { ...strict, ...options, typeRoots })
    const ours = program
      .getSourceFiles()
      .filter(({ fileName }) => paths.includes(fileName) || fileName.includes('/node_modules/webhook-inbox/'))
    expect(ours.length).toBeGreaterThan(paths.length)
    const found = [
      ...program.getOptionsDiagnostics(),
      ...ours.flatMap((file) => [
        ...program.getSyntacticDiagnostics(file),
        ...program.getSemanticDiagnostics(file),
      ]),
    ]
    return found.map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    )
  }
})
