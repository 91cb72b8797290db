import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../../packages/cli/src', import.meta.url))

/**
 * Loads every module of the command line before the tests. So code that runs at import belongs to no test, and a
 * sample leaves its mutants out. A test that ran again could not see them.
 */
const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
for (const name of names.filter((each) => each.endsWith('.ts') && each !== 'main.ts')) {
  await import(`${source}/${name}`)
}
