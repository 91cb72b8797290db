import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { referencePages } from '../../scripts/reference-pages.js'
import { codes } from '../../src/codes.js'
import { resolveReceiver } from '../../src/options/resolve.js'
import { memoryStore } from '../../src/stores/memory.js'
import { root } from './imports.js'
import { documentedOptions, readme, tableRows } from './readme.js'

const deliveryCodes = Object.keys(codes)
const errorCodes = ['VerificationCode', 'PayloadCode', 'ConfigurationCode', 'ConflictCode'].flatMap(unionOf)
const everyCode = [...new Set([...deliveryCodes, ...errorCodes])].sort()

/**
 * A row of a table explains one code. It begins with an anchor, `<a id="signature_mismatch"></a>`, and the code. The
 * second cell is the status of the response, if a delivery can get this code.
 */
const row = /^\| <a id="([a-z_]+)"><\/a>`([a-z_]+)` \|([^|]*)\|/gm
const rows = [...readme.matchAll(row)].map((match) => ({
  anchor: match[1] as string,
  code: match[2] as string,
  second: (match[3] as string).trim(),
}))

describe('the pages that are generated', () => {
  it.each(Object.entries(referencePages()))('%s is what `npm run docs:tables` writes', (path, text) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(text)
  })

  it.each(Object.entries(referencePages()))('%s holds no `<` that VitePress reads as HTML', (_, text) => {
    const prose = text.replace(/<!--.*?-->|`[^`]*`|<a id="[a-z_]+"><\/a>/g, '')
    expect(prose).not.toMatch(/<|\{\{/)
  })
})

describe('the documents', () => {
  it('explain every code once, and no other', () => {
    expect(everyCode.length).toBeGreaterThan(30)
    expect(rows.map(({ code }) => code).sort()).toEqual(everyCode)
  })

  it('have an anchor for every code, and no other', () => {
    const anchors = [...readme.matchAll(/<a id="([a-z]+_[a-z_]+)">/g)].map((match) => match[1]).sort()
    expect(anchors).toEqual(everyCode)
    expect(rows.filter(({ anchor, code }) => anchor !== code)).toEqual([])
  })

  it('give the status of every response', () => {
    const told = Object.fromEntries(rows.map(({ code, second }) => [code, second]))
    const actual = Object.entries(codes).map(([code, { status }]) => [code, String(status)])
    expect(Object.fromEntries(actual.map(([code]) => [code, told[code as string]]))).toEqual(
      Object.fromEntries(actual),
    )
  })

  it('have no table row without a head', () => {
    const blocks = [...readme.matchAll(/^\|.*(?:\n\|.*)*/gm)].map(([block]) => block.split('\n'))
    expect(blocks.length).toBeGreaterThan(5)
    expect(blocks.filter(([, rule = '']) => !/^\|(?:---\|)+$/.test(rule))).toEqual([])
  })

  it.each(['README.md', 'SECURITY.md', 'CONTRIBUTING.md'])(
    'and %s name only files that exist',
    (document) => {
      const text = readFileSync(join(root, document), 'utf8')
      const named = [
        ...text.matchAll(/`((?:src|adapters|test|examples|demo|scripts|bench|\.ci)\/[^`*<> ]*)`/g),
      ]
      const linked = [...text.matchAll(/\]\(([\w./-]+)(?:#[^)]*)?\)/g)]
      const paths = [...named, ...linked].map((match) => match[1] as string)
      expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
    },
  )

  it('link only to headings and anchors that exist', () => {
    const targets = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1] as string)
    const there = new Set([...readme.matchAll(/<a id="([^"]+)">/g)].map((match) => match[1]))
    for (const match of readme.matchAll(/^#{1,6} (.+)$/gm)) {
      there.add(slug(match[1] as string))
    }
    expect(targets.filter((target) => !there.has(target))).toEqual([])
  })
})

describe('the options in the documents', () => {
  const documented = documentedOptions('src/options/types.ts', 'CommonOptions', 'ReceiverOptions')
  const told = Object.fromEntries(tableRows('option').map(([name, value]) => [plain(name), plain(value)]))

  it('are all there, and no other', () => {
    expect(Object.keys(documented).length).toBeGreaterThan(15)
    expect(Object.keys(told).sort()).toEqual(Object.keys(documented).sort())
  })

  it('have the defaults that the receiver fills in', () => {
    const given = { secret: 'whsec_test_secret', store: memoryStore(), fallback: () => {} }
    const settings: Record<string, unknown> = { ...resolveReceiver(given) }
    const actual = Object.keys(documented)
      .filter((name) => !(name in given) && /^(?:string|number|boolean)$/.test(typeof settings[name]))
      .map((name) => [name, settings[name]] as const)
    expect(actual.length).toBeGreaterThan(7)
    expect(Object.fromEntries(actual.map(([name]) => [name, parseDefault(told[name] ?? '')]))).toEqual(
      Object.fromEntries(actual),
    )
  })

  it('are required where the docstring says so', () => {
    const required = (table: Record<string, string>) =>
      Object.keys(table)
        .filter((name) => table[name] === 'required')
        .sort()
    expect(required(documented)).toEqual(['secret', 'store'])
    expect(required(told)).toEqual(required(documented))
  })

  it.each([
    ['memoryStore', documentedOptions('src/stores/memory.ts', 'MemoryStoreOptions')],
    ['redisStore', documentedOptions('src/stores/redis/redis-options.ts', 'RedisStoreOptions')],
  ])('name those of %s', (_, ofStore) => {
    expect(Object.keys(ofStore).length).toBeGreaterThan(0)
    expect(Object.keys(ofStore).filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))).toEqual([])
  })
})

function plain(cell: string | undefined): string {
  return (cell ?? '').replaceAll('`', '').replaceAll('\\|', '|')
}

/** `10 s` -> 10, `90 days` -> 7776000, `1 MiB` -> 1048576, `'refuse'` -> reject, `false` -> false. */
function parseDefault(text: string): unknown {
  const [, amount, unit] = /^(\d+) (s|days|MiB)$/.exec(text) ?? []
  if (unit) {
    return Number(amount) * ({ s: 1, days: 86_400, MiB: 1_048_576 }[unit] as number)
  }
  return JSON.parse(text.replaceAll("'", '"'))
}

/** The members of a union of string literals in src/errors.ts. */
function unionOf(name: string): string[] {
  const text = readFileSync(join(root, 'src/errors.ts'), 'utf8')
  const source = ts.createSourceFile('errors.ts', text, ts.ScriptTarget.Latest, true)
  const alias = source.statements.find(
    (statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === name,
  ) as ts.TypeAliasDeclaration | undefined
  return [...(alias?.type.getText().matchAll(/'([a-z_]+)'/g) ?? [])].map((match) => match[1] as string)
}

/** The anchor that GitHub and npm give to a heading. */
const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
