import { existsSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'

const places = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Where the run keeps its pictures; git ignores it. */
const pictures = fileURLToPath(new URL('../../../../reports/console/', import.meta.url))

let browser: Browser | undefined

/** One Chromium for the tests of a file. Call it once at the top. */
export function useBrowser(): void {
  beforeAll(async () => {
    const executablePath = places.find((place) => place && existsSync(place))
    if (!executablePath) {
      throw new Error('The tests need Chromium: run npm run servers, or set CHROMIUM to its path.')
    }
    mkdirSync(pictures, { recursive: true })
    const args = [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ]
    browser = await chromium.launch({ executablePath, headless: true, args })
  })
  afterAll(() => browser?.close())
}

/**
 * Opens the console in a window of its own. The test fails if the page logs an error, opens a dialog of the browser, or asks
 * another machine for anything.
 */
export async function openConsole(
  url: string,
  { hash = '', ...options }: BrowserContextOptions & { hash?: string } = {},
): Promise<Page> {
  const context = await (browser as Browser).newContext({
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
    if (!asked.startsWith(url) && !asked.startsWith('data:')) {
      problems.push(`asked ${asked}`)
    }
  })
  onTestFinished(async () => {
    await context.close()
    expect(problems).toEqual([])
  })
  await page.goto(`${url}/${hash}`)
  return page
}

/** Keeps a picture of the page for people. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${pictures}${name}.png` })
}
