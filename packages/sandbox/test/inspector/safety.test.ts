import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openInspector, startScene } from './scene.js'

useBrowser('inspector')

/** Each sets `window.ran` if the page runs it. */
const corpus = [
  '<script>window.ran=1</script>',
  '<img src=x onerror="window.ran=1">',
  '"><svg onload=window.ran=1>',
  "'-window.ran=1-'",
  'javascript:window.ran=1',
  '{{constructor.constructor("window.ran=1")()}}',
  '</pre></section><iframe srcdoc="<script>parent.ran=1</script>">',
  '<style>*{display:none}</style>',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.ran=1>',
  '\u202e\u0000<b onmouseover=window.ran=1>',
]

/** A receiver whose answers attack: in the body, the headers and the codes. */
async function startHostileReceiver(): Promise<string> {
  let count = 0
  const server = createServer((request, response) => {
    request.resume()
    const attack = corpus[count++ % corpus.length] as string
    response.setHeader('X-Attack', encodeURI(attack))
    response.setHeader('Content-Type', 'text/html')
    response.writeHead(500, { 'X-Raw': attack.replace(/[^\x20-\x7e]/g, '') })
    response.end(count % 2 ? attack : JSON.stringify({ outcome: attack, code: attack }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${encodeURIComponent('<img src=x onerror=window.ran=1>')}`
}

test('nothing in a body, an id, a key, a response or an address runs', async () => {
  const hostile = await startHostileReceiver()
  const scene = await startScene({ retry: 'none', forwardTo: [hostile] })
  for (const attack of corpus) {
    await scene.emit('attack.made', { [attack]: attack, note: [attack] })
  }
  await scene.post('/v1/wallets', { owner: 'cus_<script>', currency: 'KES' })
  await scene.idle()
  const { body } = await scene.get('/_sandbox/deliveries')
  const page = await openInspector(scene.url)
  const ran = () => page.evaluate(() => 'ran' in window)
  for (const { id } of body.data) {
    for (const tab of ['signature', 'body', 'headers', 'response', 'attempts', 'diff', 'deliveries']) {
      await page.evaluate((hash) => {
        location.hash = hash
      }, `#/deliveries/${id}/${tab}`)
      await page.locator(`#tab-${tab}[aria-selected=true]`).waitFor()
    }
    expect(await ran()).toBe(false)
  }
  await page.evaluate(() => {
    location.hash = '#/bank'
  })
  await page.getByRole('table', { name: 'Wallets' }).waitFor()
  expect(await ran()).toBe(false)
  expect(await page.locator('iframe, img, script[src=x]').count()).toBe(0)
})

test('characters that turn or hide text are shown as escapes', async () => {
  const scene = await startScene()
  await scene.emit('name.turned', { name: 'the \u202egpj.exe', '\u200bkey': 'a\u{e0041}' })
  await scene.idle()
  const { body } = await scene.get('/_sandbox/deliveries')
  const page = await openInspector(scene.url, { hash: `#/deliveries/${body.data[0].id}/body` })
  const shown = page.getByRole('tabpanel', { name: 'Body' })
  await shown.getByText('the \\u202egpj.exe').waitFor()
  await shown.getByText('\\u200bkey').waitFor()
  expect(await shown.locator('.hidden-character').allInnerTexts()).toContain('\\u{e0041}')
  expect(await page.evaluate(() => document.body.textContent)).not.toMatch(/[\u202e\u200b]/)
})

test('nothing in the address of the page runs', async () => {
  const scene = await startScene({ forwardTo: [] })
  const page = await openInspector(scene.url)
  for (const attack of corpus) {
    const part = encodeURIComponent(attack)
    await page.evaluate((hash) => {
      location.hash = hash
    }, `#/deliveries/${part}/${part}?q=${part}`)
    await page.getByText('This delivery cannot be shown.').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe(attack)
    expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  }
})

test('a script of another origin, an inline one and eval are rejected by the policy', async () => {
  const scene = await startScene({ forwardTo: [] })
  const response = await fetch(`${scene.url}/_inspector/`)
  const policy = response.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self'")
  expect(policy).not.toContain('unsafe')
  expect(await response.text()).not.toMatch(/https?:\/\//)
})
