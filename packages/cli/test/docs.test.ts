import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { pages, render } from '../../../scripts/cli-docs.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))

it.each(await pages())('%s shows what its commands print', async (page) => {
  const written = await readFile(`${root}${page}`, 'utf8')
  expect(await render(page), 'stale: node --import tsx scripts/cli-docs.ts').toBe(written)
})
