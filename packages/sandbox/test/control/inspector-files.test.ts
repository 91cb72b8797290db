import { expect, test } from 'vitest'
import { startTestSandbox } from '../rig.js'

/** The files are those that `npm run build` made. */
test('the inspector serves its page and each file that the page names, and nothing else', async () => {
  const sandbox = await startTestSandbox()
  const read = (path: string) => fetch(`${sandbox.url}${path}`)
  const page = await read('/_inspector')
  expect([page.status, page.url]).toEqual([200, `${sandbox.url}/_inspector/`])
  const names = [...(await page.text()).matchAll(/(?:src|href)="(?:\.\/)?(assets\/[^"]+)"/g)].map(
    ([, name]) => name,
  )
  expect(names.length).toBeGreaterThan(0)
  for (const name of names) {
    const file = await read(`/_inspector/${name}`)
    expect([name, file.status]).toEqual([name, 200])
    expect(file.headers.get('content-type')).toMatch(/^(text|image)\//)
    expect(file.headers.get('x-content-type-options')).toBe('nosniff')
  }
  const [first = ''] = names
  for (const name of [
    `.${first}`,
    `assets/.${first.slice(7)}`,
    `assets//${first.slice(7)}`,
    '..%2fpackage.json',
  ]) {
    expect([name, (await read(`/_inspector/${name}`)).status]).toEqual([name, 404])
  }
})
