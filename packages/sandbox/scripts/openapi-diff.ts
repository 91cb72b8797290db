/**
 * Says what has changed in openapi.json since the last tag, or since the branch left main. A change that breaks programs
 * needs a new line in CHANGELOG.md that begins with "- **breaking**". Without one the exit code is 1.
 *
 *     npm run openapi:diff [-- BASE]
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compareDocuments } from './compare-openapi.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const git = (...args: string[]): string | undefined => {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1e8,
    }).trim()
  } catch {
    return undefined
  }
}

/** On main itself the branch has left main nowhere, so the commit before is the base. */
function baseOf(): string | undefined {
  const left = git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main')
  const before = left === git('rev-parse', 'HEAD') ? 'HEAD~1' : left
  return git('describe', '--tags', '--abbrev=0') ?? before
}

const breakingLines = (text: string) => text.split('\n').filter((line) => line.startsWith('- **breaking**'))

const base = process.argv[2] ?? baseOf()
const old = base && git('show', `${base}:openapi.json`)
if (!old) {
  console.log(`There is no openapi.json at ${base ?? 'any base'}, so there is nothing to compare with.`)
  process.exit(process.argv[2] ? 2 : 0)
}
const changes = compareDocuments(JSON.parse(old), JSON.parse(readFileSync(`${root}/openapi.json`, 'utf8')))
for (const { kind, at, what } of changes) {
  console.log(`${kind.padEnd(8)}  ${at}  ${what}`)
}
const breaking = changes.filter(({ kind }) => kind === 'breaking').length
console.log(`${changes.length} changes since ${base}, ${breaking} of them breaking.`)

const known = new Set(breakingLines(git('show', `${base}:CHANGELOG.md`) ?? ''))
const isNoted = breakingLines(readFileSync(`${root}/CHANGELOG.md`, 'utf8')).some((line) => !known.has(line))
if (breaking > 0 && !isNoted) {
  console.log(
    'CHANGELOG.md has no new line that begins with "- **breaking**". Write one, or take the change back.',
  )
  process.exitCode = 1
}
