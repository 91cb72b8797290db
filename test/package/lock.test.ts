import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './imports.js'

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, Locked>>
}

describe('package-lock.json', () => {
  it('names versions, and no place to fetch them from', () => {
    // The root, the workspaces and the links to them are our own.
    const entries = Object.entries(packages).filter(
      ([path, { link }]) => path.includes('node_modules/') && !link,
    )
    expect(entries.filter(([, { version }]) => !version)).toEqual([])
    expect(entries.filter(([, { resolved }]) => resolved)).toEqual([])
  })

  it('has the builds for every platform, without which npm ci rejects it: node scripts/complete-lock.mjs', () => {
    const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)))
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    )
    expect(wanted.length).toBeGreaterThan(0)
    expect(wanted.filter((name) => !names.has(name))).toEqual([])
  })
})
