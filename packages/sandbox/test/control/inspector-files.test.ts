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

test('the inspector keeps its page in bounds, and each file has its type', async () => {
  const sandbox = await startTestSandbox()
  const first = await fetch(`${sandbox.url}/_inspector`, { redirect: 'manual' })
  expect([first.status, first.headers.get('location')]).toEqual([302, '/_inspector/'])
  const page = await fetch(`${sandbox.url}/_inspector/`)
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  })
  const text = await page.text()
  expect(await (await fetch(`${sandbox.url}/_inspector/index.html`)).text()).toBe(text)
  const types: Readonly<Record<string, string>> = {
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
    svg: 'image/svg+xml',
  }
  for (const [, name = ''] of text.matchAll(/(?:src|href)="(?:\.\/)?(assets\/[^"]+)"/g)) {
    const { headers } = await fetch(`${sandbox.url}/_inspector/${name}`)
    expect([name, headers.get('content-type')]).toEqual([name, types[name.split('.').at(-1) ?? '']])
  }
})

test.each(['nothing.html', 'index.htm', 'index', 'a%20b.js', '%00.js', 'index.html/', '/index.html'])(
  'the inspector has no %s',
  async (name) => {
    const sandbox = await startTestSandbox()
    const { status, body } = await sandbox.get(`/_inspector/${name}`)
    expect([status, body.code]).toEqual([404, 'not_found'])
  },
)
