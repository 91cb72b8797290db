import { build } from 'esbuild'
import { expect, test } from 'vitest'

const bundle = (code: string, conditions: string[]) =>
  build({
    stdin: { contents: code, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    // An import of node: fails in a bundle for another runtime.
    platform: 'neutral',
    conditions,
  })

test.each(['workerd', 'deno', 'bun', 'browser'])(
  'createClient needs no module of Node for %s',
  async (runtime) => {
    const { metafile } = await bundle("export { createClient } from '../src/index.js'", [runtime])
    const inputs = Object.keys(metafile.inputs)
    expect(inputs).toContain('packages/client/src/create-client.ts')
    // The schemas are types to it.
    expect(inputs.filter((path) => path.includes('/zod/') && used(metafile, path))).toEqual([])
    const bytes = Object.values(metafile.outputs)[0]?.bytes ?? Number.POSITIVE_INFINITY
    expect(bytes).toBeLessThan(16_000)
  },
)

/** Whether anything of a file is left after unused code was dropped. */
const used = (
  { outputs }: { outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }> },
  path: string,
) => Object.values(outputs).some(({ inputs }) => (inputs[path]?.bytesInOutput ?? 0) > 0)
