import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { inject } from 'vitest'

export interface Bundle {
  readonly code: string
  /** Minified and compressed, in bytes. */
  readonly size: number
  /** What the bundle still imports. */
  readonly imports: readonly string[]
  /** The files of the package that are in it. */
  readonly files: readonly string[]
}

interface BundleOptions {
  readonly platform?: 'node' | 'neutral'
  /** Leaves the core out, to weigh what stands on it. */
  readonly withoutCore?: boolean
}

/** Bundles a program against the packed package as a user’s bundler does, its dependencies left out. */
export async function bundle(program: string, options: BundleOptions = {}): Promise<Bundle> {
  const { platform = 'node', withoutCore = false } = options
  const result = await build({
    stdin: { contents: program, resolveDir: inject('consumer') },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
    platform,
    format: 'esm',
    external: ['zod', 'raw-body', 'node:*'],
    plugins: withoutCore ? [coreIsExternal] : [],
  })
  const [output] = Object.values(result.metafile.outputs)
  const code = result.outputFiles[0]?.text as string
  return {
    code,
    size: code.trim() === '' ? 0 : gzipSync(code, { level: 9 }).length,
    imports: (output?.imports ?? []).map((each) => each.path),
    files: Object.entries(output?.inputs ?? {})
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path.replace(/^.*node_modules\/webhook-inbox\//, '')),
  }
}

/** Everything in `src` but the leaves. */
const coreIsExternal: Plugin = {
  name: 'core-is-external',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[.#]/ }, async ({ path, resolveDir, pluginData, ...rest }) => {
      if (pluginData === 'resolving') return undefined
      const found = await resolve(path, { resolveDir, kind: rest.kind, pluginData: 'resolving' })
      const isCore = /\/dist\/src\/(?!stores\/|queues\/|testing\/)/.test(found.path)
      return isCore ? { path: found.path, external: true } : undefined
    })
  },
}
