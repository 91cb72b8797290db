import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../../packages/cli/src', import.meta.url))

/**
 * Loads every module of the command line before the tests. Otherwise the first test that runs a command would seem to run what
 * its modules do at import, and no later run of the test would see a mutant of that.
 */
const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
for (const name of names.filter((each) => each.endsWith('.ts') && each !== 'main.ts')) {
  await import(`${source}/${name}`)
}
