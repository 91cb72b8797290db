import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { documents, root } from './documents.js'

const programs = ['examples', 'demo']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  .filter((path) => /\.[jt]sx?$/.test(path) && !/node_modules|\.next|dist|generated/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

/** Each text that looks like a secret. `whsec_` alone is the prefix of a scheme. */
const secrets = [...documents, ...programs].flatMap(({ path, text }) =>
  [...text.matchAll(/\bwhsec_[\w=+/-]+/g)].map(([secret]) => ({ path, secret })),
)

test('a receiver accepts each secret of the documents and the examples', () => {
  expect(secrets.length).toBeGreaterThan(15)
  const rejected = secrets.filter(({ secret }) => {
    try {
      createReceiver({ secret, store: memoryStore(), fallback: () => {} })
      return false
    } catch {
      return true
    }
  })
  expect(rejected).toEqual([])
})
