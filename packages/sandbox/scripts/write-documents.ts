import { mkdirSync, writeFileSync } from 'node:fs'
import { curlPage } from './curl-page.js'
import { gapsPage } from './gaps-page.js'
import { openApiText } from './openapi.js'

/** Writes what is generated from the source and committed. A test fails where one of them is stale. */
const root = new URL('../../../', import.meta.url)

mkdirSync(new URL('docs/', root), { recursive: true })
writeFileSync(new URL('openapi.json', root), await openApiText())
writeFileSync(new URL('docs/gaps.md', root), gapsPage())
writeFileSync(new URL('docs/curl.md', root), await curlPage())
