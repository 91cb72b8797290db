/**
 * Keeps the program of an earlier version, for the test that runs it beside this one. One file holds the receiver, its stores
 * and the local queue of a commit.
 *
 *     node scripts/keep-program.mjs 19974b9
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const [commit] = process.argv.slice(2)
if (!commit) {
  console.error('Name a commit: node scripts/keep-program.mjs COMMIT')
  process.exit(2)
}
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'keep-program-'))
try {
  const tar = execFileSync('git', ['archive', commit, 'src'], { cwd: root, maxBuffer: 1e8 })
  execFileSync('tar', ['-x', '-C', folder], { input: tar })
  const modules = ['receiver', 'queues/local', 'stores/postgres', 'stores/sqlite']
  const { outputFiles } = await build({
    stdin: {
      contents: modules.map((name) => `export * from './src/${name}.js'`).join('\n'),
      resolveDir: folder,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    alias: { '#crypto': join(folder, 'src/signature/crypto/node.ts') },
  })
  writeFileSync(
    join(root, 'test/stores/earlier-program.mjs.gz'),
    gzipSync(outputFiles[0].contents, { level: 9 }),
  )
} finally {
  rmSync(folder, { recursive: true })
}
