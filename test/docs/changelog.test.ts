import { expect, test } from 'vitest'
import { documents } from './documents.js'

test('every change in the changelog is marked additive or breaking', () => {
  const text = documents.find(({ path }) => path === 'CHANGELOG.md')?.text ?? ''
  const changes = [...text.matchAll(/^- (.+)$/gm)].map((match) => match[1] as string)
  expect(changes.length).toBeGreaterThan(10)
  expect(changes.filter((change) => !/^\*\*(?:additive|breaking)\*\* \S/.test(change))).toEqual([])
})
