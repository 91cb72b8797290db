/**
 * Takes the pictures of the inspector that the documents show: `npx tsx packages/sandbox/scripts/inspector-pictures.ts`.
 * A virtual clock spreads ten minutes of traffic over the plots. CHROMIUM names the browser.
 */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright-core'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { chromiumPath } from 'webhook-inbox-ui/chromium'
import { createSandbox, type Sandbox } from '../src/index.js'

const secret = 'whsec_of_the_pictured_receiver'
const folder = new URL('../../../docs/images/', import.meta.url)
const rails = [
  'sim_settle',
  'mobile_money',
  'sim_duplicate',
  'sim_fail_funds',
  'sim_approval',
  'bank_account',
]

/** Steps of the clock, of ten seconds each. */
const steps = 58
const chaosFrom = 28
const chaosUntil = 36
/** From here on a second receiver is subscribed that does not listen. */
const absentFrom = 48

await main()

async function main(): Promise<void> {
  const { url, close } = await startReceiver()
  const retry = [10, 20, 40, 60]
  const sandbox = await createSandbox({ port: 0, clock: 'virtual', secret, retry, forwardTo: [url] })
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const list = await open(browser, sandbox, 'light')
  const detail = await open(browser, sandbox, 'dark')
  await makeTraffic(sandbox)
  await take(list, 'inspector')
  await detail.locator('.list tr', { hasText: 'Rejected' }).first().getByRole('link').click()
  await detail
    .getByText(/^(Reading|Checking)/)
    .first()
    .waitFor({ state: 'detached', timeout: 60_000 })
  await detail.getByText('does not match').first().waitFor()
  await take(detail, 'inspector-signature')
  await browser.close()
  await sandbox.close()
  await close()
}

/** A receiver that fails now and then. */
async function startReceiver() {
  let count = 0
  const settle = async () => {
    count += 1
    await new Promise((resolve) => setTimeout(resolve, 3 + (count % 7) * 4))
    if (count % 11 === 0) {
      throw new Error('the database is away')
    }
  }
  const handlers = { 'transfer.settled': settle, 'ledger.matched': settle, 'transfer.failed': settle }
  const quiet = { info() {}, warn() {}, error() {} }
  const receiver = createReceiver({ secret, store: memoryStore(), handlers, logger: quiet })
  await receiver.start()
  const server = createServer(nodeHandler(receiver))
  await new Promise<void>((resolve) => server.listen(3000, '127.0.0.1', resolve))
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await receiver.stop()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`, close }
}

async function makeTraffic(sandbox: Sandbox): Promise<void> {
  for (let step = 0; step < steps; step++) {
    if (step === absentFrom) {
      await sandbox.subscribe({ url: 'http://127.0.0.1:3001/hooks', events: ['ledger.*'] })
    }
    const isChaos = step >= chaosFrom && step < chaosUntil
    const probability = step === steps - 1 ? 1 : 0.6 * Number(isChaos)
    await ask(sandbox, 'PUT', '/_sandbox/chaos', {
      all: probability > 0 ? { corruptSignature: { probability } } : {},
    })
    for (let count = 0; count <= step % 3; count++) {
      await ask(sandbox, 'POST', '/v1/transfers', {
        source: 'wallet_kes_ada',
        destination: 'wallet_kes_ben',
        amount: 10.5 + step,
        currency: 'KES',
        rail: rails[(step + count) % rails.length],
      })
    }
    await sandbox.advance({ seconds: 10 })
  }
}

function ask(sandbox: Sandbox, method: string, path: string, body: unknown): Promise<Response> {
  return fetch(sandbox.url + path, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${sandbox.apiKey}` },
    body: JSON.stringify(body),
  })
}

async function open(browser: Browser, sandbox: Sandbox, colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme,
    locale: 'en-US',
  })
  const page = await context.newPage()
  await page.goto(`${sandbox.url}/_inspector/`)
  await page.getByText('No delivery yet').waitFor()
  return page
}

async function take(page: Page, name: string): Promise<void> {
  // The page gathers changes for a moment before it shows them.
  await page.waitForTimeout(1000)
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 86 })
  writeFileSync(new URL(`${name}.webp`, folder), Buffer.from(data, 'base64'))
}
