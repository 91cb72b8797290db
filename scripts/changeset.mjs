/**
 * Runs changesets, such as `npm run changeset -- status`. Changesets makes a release major when a peer leaves its range,
 * and `^0.1.0` does not include 0.2.0. Here all packages get the same version. So the range of `webhook-inbox` is open
 * while changesets runs, and fits the version again when it ends. The version is in the source too, for processes to tell.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const program = createRequire(import.meta.url).resolve('@changesets/cli/bin.js')
const read = (path) => JSON.parse(readFileSync(path, 'utf8'))
const paths = read('package.json').workspaces.map((folder) => `${folder}/package.json`)

function setPeer(range) {
  for (const path of paths) {
    const manifest = read(path)
    if (manifest.peerDependencies?.['webhook-inbox']) {
      manifest.peerDependencies['webhook-inbox'] = range
      writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
    }
  }
}

const isRelease = ['status', 'version'].includes(process.argv[2])
if (isRelease) {
  setPeer('*')
}
process.exitCode = spawnSync(process.execPath, [program, ...process.argv.slice(2)], {
  stdio: 'inherit',
}).status
if (isRelease) {
  const { version } = read('package.json')
  setPeer(`^${version}`)
  const source = 'src/version.ts'
  writeFileSync(source, readFileSync(source, 'utf8').replace(/'[^']+'/, `'${version}'`))
}
