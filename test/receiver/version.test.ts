import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { version } from '../../src/version.js'

it('the version that a worker notes in the store is that of the package', () => {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  expect(version).toBe(JSON.parse(manifest).version)
})
