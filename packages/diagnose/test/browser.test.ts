import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { expect, it } from 'vitest'
import { chromiumPath } from 'webhook-inbox-ui/chromium'
import type { Diagnosis } from '../src/index.js'
import { event, now, secret, sign } from './delivery.js'

const run = fileURLToPath(new URL('../src/index.ts', import.meta.url))

it('runs in a browser, and finds the same cause there', async () => {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
  const { outputFiles } = await build({
    entryPoints: [run],
    bundle: true,
    format: 'iife',
    globalName: 'toolkit',
    platform: 'browser',
    write: false,
  })
  // Browsers offer WebCrypto in secure contexts only. A page from loopback is one.
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p></p>'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.addScriptTag({ content: outputFiles[0]?.text as string })
    const text = JSON.stringify(event)
    const given = {
      text: JSON.stringify(event, undefined, 2),
      header: sign(text, secret.secret, now),
      secret,
      now,
    }
    const diagnosis = (await page.evaluate(
      `(async ({ text, header, secret, now }) =>
        toolkit.diagnose({ body: new TextEncoder().encode(text), header, secret, now }))(${JSON.stringify(given)})`,
    )) as Diagnosis
    expect(diagnosis).toMatchObject({ isAccepted: false, code: 'signature_mismatch' })
    expect(diagnosis.causes.map(({ code }) => code)).toEqual(['body_reformatted'])
  } finally {
    server.close()
    await browser.close()
  }
})
