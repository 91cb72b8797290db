import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { readme } from './readme.js'
import { subpaths } from './subpaths.js'

const consumer = inject('consumer')

/** Runs a program beside the installed package. It must end by itself, because an import must not leave a timer. */
async function runProgram(name: string, text: string): Promise<string> {
  await writeFile(join(consumer, name), text)
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [name], {
    cwd: consumer,
    timeout: 30_000,
  })
  expect(stderr).toBe('')
  return stdout
}

describe.each(subpaths)('%s', (specifier) => {
  const name = specifier.replaceAll('/', '-')

  it('loads without side effects, as sideEffects: false states, and import and require share its objects', async () => {
    const output = await runProgram(
      `load-${name}.cjs`,
      `
      const photograph = () => JSON.stringify({
        globals: Reflect.ownKeys(globalThis).map(String),
        prototypes: [Object, Array, Promise, String, Error, Uint8Array].map((it) => Reflect.ownKeys(it.prototype).map(String)),
        listeners: process.eventNames().map((event) => [String(event), process.listenerCount(event)]),
        resources: process.getActiveResourcesInfo().filter((it) => it === 'Timeout' || it.includes('TCP')),
      })
      import('zod').then(async () => {
        const before = photograph()
        const required = require('${specifier}')
        const isPure = photograph() === before
        const imported = await import('${specifier}')
        const names = Object.keys(imported)
        const isSame = names.length > 0 && names.every((name) => required[name] === imported[name])
        console.log(JSON.stringify({ isPure, isSame, isStillPure: photograph() === before }))
      })`,
    )
    expect(JSON.parse(output)).toEqual({ isPure: true, isSame: true, isStillPure: true })
  })
})

describe('a subpath that is not exported', () => {
  it('is rejected', async () => {
    const code = await runProgram(
      'inside.mjs',
      `
      await import('webhook-inbox/dist/src/pipeline.js').catch((error) => console.log(error.code))`,
    )
    expect(code.trim()).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })

  it('but package.json is readable, as some tools want it', async () => {
    const version = await runProgram(
      'manifest.cjs',
      `console.log(require('webhook-inbox/package.json').version)`,
    )
    const { version: expected } = JSON.parse(
      readFileSync(join(consumer, 'node_modules/webhook-inbox/package.json'), 'utf8'),
    )
    expect(version.trim()).toBe(expected)
  })
})

describe('the README', () => {
  const statement = /^import \{ ([^}]+) \} from '(webhook-inbox[^']*)'/gm
  const imports = [...readme.matchAll(statement)].map(
    (match) => [valuesOf(match[1] as string), match[2] as string] as const,
  )

  it('imports something', () => expect(imports.length).toBeGreaterThan(2))

  it.each(imports)('imports { %s } from %s, which are there', async (names, specifier) => {
    const missing = await runProgram(
      `readme-${specifier.replaceAll('/', '-')}.mjs`,
      `
      const exported = await import('${specifier}')
      console.log(${JSON.stringify(names)}.filter((name) => !(name in exported)).join())`,
    )
    expect(missing.trim()).toBe('')
  })
})

/** The names of an import without its types, which do not exist at run time. */
function valuesOf(names: string): string[] {
  return names.split(', ').filter((name) => !name.startsWith('type '))
}
