/**
 * Stops `npm publish` while a package.json has no `repository` or no `bugs`. The maintainers set them before the first
 * release.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const manifest = JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8'))
const missing = ['repository', 'bugs'].filter((field) => !manifest[field])
if (missing.length > 0) {
  console.error(`${manifest.name}: set ${missing.join(' and ')} in package.json before you publish.`)
  process.exit(1)
}
