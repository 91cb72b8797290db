import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const gzipped = (file: Uint8Array) => gzipSync(file, { level: 9 }).length
const folder = new URL('../../inspector/dist/', import.meta.url)
const sizes = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name, parentPath }) => ({ name, bytes: gzipped(readFileSync(`${parentPath}/${name}`)) }))

const total = (files: typeof sizes) => files.reduce((sum, { bytes }) => sum + bytes, 0)
const checker = sizes.filter(({ name }) => /^dist-.*\.js$/.test(name))
const loadedFirst = sizes.filter((file) => !checker.includes(file))

test('the page loads less than 36 kB gzip', () => {
  expect(loadedFirst.map(({ name }) => name)).toHaveLength(3)
  expect(total(loadedFirst)).toBeGreaterThan(20_000)
  expect(total(loadedFirst)).toBeLessThan(36_000)
})

test('the checker of signatures is a file of its own below 15 kB, loaded when it is needed', () => {
  expect(checker).toHaveLength(1)
  expect(total(checker)).toBeLessThan(15_000)
})

test('all of it is below 50 kB gzip', () => {
  expect(total(sizes)).toBeLessThan(50_000)
})
