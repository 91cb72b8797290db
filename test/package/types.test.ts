import { execFile } from 'node:child_process'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { fetchPackage } from '../setup/fetch-package.js'
import { root } from './imports.js'
import { subpaths } from './subpaths.js'

/** The declarations that a subpath needs beside those of the language, the web and Node. */
const peers: Readonly<Record<string, string>> = { 'webhook-inbox/fastify': 'fastify' }
/** These subpaths use requests, responses and buffers of Node. */
const ofNode = ['adapter', 'express', 'fastify', 'koa', 'next', 'node', 'testing'].map(
  (name) => `webhook-inbox/${name}`,
)

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  // Shows errors in our declarations, as for users who do not skip library checks.
  skipLibCheck: false,
  noEmit: true,
  target: 'ES2022',
}
const nodeNext = { module: 'NodeNext', moduleResolution: 'NodeNext' }
const bundler = { module: 'ESNext', moduleResolution: 'Bundler' }
const onNode = { lib: ['ES2023'], types: ['node'] }
const onTheWeb = { lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: [] }

/** The compiler that built the package. `LONG=1` adds the oldest one that the README names. */
const compilers = process.env.LONG ? ['5.8.3', 'ours'] : ['ours']
if (!process.env.LONG) {
  console.log(
    'the declarations are not compiled with TypeScript 5.8.3: set LONG=1, it is installed from the registry',
  )
}

interface User {
  readonly files: readonly string[]
  readonly specifiers: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
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

describe.each(compilers)('with TypeScript %s the declarations serve', (compiler) => {
  const folder = join(dirname(inject('consumer')), `typed-${compiler}`)
  let tsc: string

  beforeAll(async () => {
    tsc =
      compiler === 'ours'
        ? join(root, 'node_modules/@typescript/native/bin/tsc')
        : join(await fetchPackage('typescript', compiler), 'typescript/bin/tsc')
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
    await Promise.all(files.map((file) => writeFile(join(folder, file), text)))
    expect(await complaints(files, options)).toEqual([])
  })

  it('reject a wrong program', async () => {
    await writeFile(
      join(folder, 'wrong.mts'),
      `import { createReceiver } from 'webhook-inbox'
       createReceiver({ secret: 'whsec_test_secret', fallback() {} })`,
    )
    expect(await complaints(['wrong.mts'], { ...nodeNext, ...onNode })).toEqual([
      expect.stringMatching(/^wrong\.mts.*ReceiverOptions|^wrong\.mts.*store/),
    ])
  })

  /** Returns the errors in the programs and in our declarations. Those of other packages are not ours to fix. */
  async function complaints(files: readonly string[], options: User['options']): Promise<string[]> {
    const project = join(folder, `tsconfig.${files[0]}.json`)
    await writeFile(project, JSON.stringify({ compilerOptions: { ...strict, ...options }, files }))
    const args = [tsc, '-p', project, '--pretty', 'false', '--listFiles']
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
      (error) => error,
    )
    const lines = String(stdout).split('\n')
    expect(lines).toContainEqual(
      expect.stringMatching(/node_modules\/webhook-inbox\/dist\/src\/index\.d\.ts$/),
    )
    return lines.filter(
      (line) =>
        / error TS|^error TS/.test(line) &&
        (!line.includes('node_modules/') || line.includes('node_modules/webhook-inbox/')),
    )
  }
})
