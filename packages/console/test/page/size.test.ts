import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

it('has less than 50 kB, compressed', () => {
  const folder = new URL('../../page/dist/assets/', import.meta.url)
  const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(new URL(name, folder))).byteLength)
  expect(sizes.length).toBeGreaterThan(1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(50_000)
})
