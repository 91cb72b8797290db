import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { curlPage } from '../scripts/curl-page.js'
import { gapsPage } from '../scripts/gaps-page.js'
import { openApiText } from '../scripts/openapi.js'

test.each([
  ['openapi.json', 'the routes', openApiText],
  ['docs/gaps.md', 'the table of gaps', gapsPage],
  ['docs/curl.md', 'the responses of the sandbox', curlPage],
])('%s is up to date with %s', async (name, _, make) => {
  const committed = readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8')
  expect(await make(), `${name} is stale: run "npm run openapi"`).toBe(committed)
})
