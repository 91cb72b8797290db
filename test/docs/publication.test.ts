import { expect, test } from 'vitest'
import { documents } from './documents.js'

// One page to change when the packages are published.
test('only the README says that nothing is published on npm', () => {
  const says = documents.filter(
    ({ path, text }) => path !== 'CHANGELOG.md' && /nothing is published|not published yet/i.test(text),
  )
  expect(says.map(({ path }) => path)).toEqual(['README.md'])
})
