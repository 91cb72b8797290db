import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { inject } from 'vitest'

export interface Bundle {
  readonly code: string
  /** Minified and compressed size, in bytes. */
  readonly size: number
  /** The modules that the bundle still imports. */
  readonly imports: readonly string[]
  /** The files of the package in the bundle. */
  readonly files: readonly string[]
}

interface BundleOptions {
  readonly platform?: 'node' | 'neutral'
  /** Leaves out the files of the package below these folders, to measure only the code above them. */
  readonly without?: readonly string[]
}

/** Bundles a program with the packed package as a user’s bundler does, without its dependencies. */
export async function bundle(program: string, options: BundleOptions = {}): Promise<Bundle> {
  const { platform = 'node', without = [] } = options
  const result = await build({
    stdin: { contents: program, resolveDir: inject('consumer') },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
    platform,
    format: 'esm',
    external: ['zod', '@opentelemetry/api', 'node:*'],
    // The plugin resolves each import a second time, so use it only where something is left out.
    plugins: without.length > 0 ? [leaveOut(without)] : [],
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

function leaveOut(folders: readonly string[]): Plugin {
  return {
    name: 'leave-out',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^[.#]/ }, async ({ path, pluginData, resolveDir, kind }) => {
        if (pluginData === 'resolving') {
          return undefined
        }
        const found = await resolve(path, { resolveDir, kind, pluginData: 'resolving' })
        const file = found.path.split('/node_modules/webhook-inbox/')[1] ?? ''
        return folders.some((folder) => file.startsWith(folder)) ? { path: file, external: true } : undefined
      })
    },
  }
}
