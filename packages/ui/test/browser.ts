import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished } from 'vitest'
import { chromiumPath } from './chromium.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * The popups of the address bar are pages, which Chromium renders for each window; no test looks at them. The argument replaces
 * the list of Playwright, so the rest is what that list has about pages and the network.
 */
const unusedFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...[
    'PaintHolding',
    'HttpsUpgrades',
    'HttpsFirstBalancedModeAutoEnable',
    'AvoidUnnecessaryBeforeUnloadCheckSync',
  ],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'ThirdPartyStoragePartitioning', 'DestroyProfileOnBrowserClose'],
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'PreconnectToSearch', 'AimEnabled', 'MediaRouter'],
]

// Files that share a worker share its Chromium. It ends with the process of the worker.
let browser: Promise<Browser> | undefined
let pictures = ''

/** One Chromium for the tests of a worker. Call it once at the top. Pictures go to `reports/<name>`, which git ignores. */
export function useBrowser(name: string): void {
  beforeAll(async () => {
    pictures = fileURLToPath(new URL(`../../../reports/${name}/`, import.meta.url))
    mkdirSync(pictures, { recursive: true })
    browser ??= launch()
    await browser
  })
}

async function launch(): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    `--disable-features=${unusedFeatures}`,
  ]
  return chromium.launch({ executablePath: chromiumPath(), headless: true, args })
}

/**
 * Opens a page in a window of its own. The test fails if the page logs an error, opens a dialog of the browser, or asks for
 * anything outside of `origin`.
 */
export async function openPage(
  origin: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await ((await browser) as Browser).newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('dialog', (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`)
    dialog.dismiss().catch(() => {})
  })
  page.on('console', (message) => {
    // The browser logs each failed request itself; the tests of failures make them on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      problems.push(message.text())
    }
  })
  page.on('request', (request) => {
    const asked = request.url()
    if (!asked.startsWith(origin) && !asked.startsWith('data:')) {
      problems.push(`asked ${asked}`)
    }
  })
  onTestFinished(async () => {
    // A route that still waits would throw when its page closes, outside of the test.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
    expect(problems).toEqual([])
  })
  await page.goto(`${origin}${path}`)
  return page
}

/** Keeps a picture of the page for people. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${pictures}${name}.png` })
}

/** What axe finds wrong with the page, in short. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself into the window
    const { violations } = await (window as any).axe.run(document)
    return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
      nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`),
    )
  })
}

/** How many pixels of the page are beyond its right edge. */
export const pixelsBeyond = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

/** The text of each row in the list, as far as it is rendered. */
export const rowsOf = (page: Page): Promise<string[]> =>
  page.locator('.list tbody tr:not(.spacer)').allTextContents()
