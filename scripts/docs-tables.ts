/** Writes the pages that are generated from the source: docs/codes.md and docs/options.md. */
import { writeFileSync } from 'node:fs'
import { referencePages } from './reference-pages.js'

for (const [path, text] of Object.entries(referencePages())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
}
