/** Runs a benchmark by its name: `npm run bench -- verify`. */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = new URL('../packages/bench/', import.meta.url)
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3))
const [name] = process.argv.splice(2, 1)
if (!names.includes(name)) {
  console.error(`Name one benchmark: ${names.join(', ')}`)
  process.exit(2)
}
const program = new URL(`${name}.ts`, folder)
process.argv[1] = fileURLToPath(program)
await import(program.href)
