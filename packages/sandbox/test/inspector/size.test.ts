import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const folder = new URL('../../inspector/dist/', import.meta.url)
const sizes = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name, parentPath }) => ({ name, bytes: gzipSync(readFileSync(`${parentPath}/${name}`)).length }))

const total = (files: typeof sizes) => files.reduce((sum, { bytes }) => sum + bytes, 0)

test('the whole page is below 50 kB gzip', () => {
  expect(total(sizes)).toBeGreaterThan(20_000)
  expect(total(sizes)).toBeLessThan(50_000)
})

test('the checker of signatures is a file of its own, loaded when it is needed', () => {
  expect(sizes.filter(({ name }) => name.endsWith('.js'))).toHaveLength(2)
})
