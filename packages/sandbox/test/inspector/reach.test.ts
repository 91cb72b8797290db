import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findings, keepPicture, pixelsBeyond, rowsOf, useBrowser } from 'webhook-inbox-ui/browser'
import { shapeB } from '../rig.js'
import { openInspector, type Scene, startScene } from './scene.js'

useBrowser('inspector')

/** A scene in which most verdicts occur, and one rejected delivery to open. */
async function busyScene(): Promise<{ scene: Scene; rejectedId: string }> {
  let count = 0
  const settle = () => {
    count += 1
    if (count % 3 === 0) {
      throw new Error('down')
    }
  }
  const scene = await startScene({ handlers: { 'transfer.settled': settle }, retry: [3600] })
  for (const rail of [
    'sim_settle',
    'sim_fail_funds',
    'sim_duplicate',
    'sim_approval',
    'sim_exception',
    'sim_stuck',
  ]) {
    await scene.post('/v1/transfers', shapeB(rail, { amount: 250 }), { 'Idempotency-Key': rail })
  }
  await scene.post('/v1/transfers', shapeB('sim_settle', { amount: 250 }), {
    'Idempotency-Key': 'sim_settle',
  })
  await scene.emit('evidence.exported', { bundle: 'evb_1' })
  await scene.subscribe({ url: 'http://127.0.0.1:9/nobody', events: ['approval.*'] })
  await scene.emit('approval.updated')
  await scene.request('PUT', '/_sandbox/chaos', { all: { corruptSignature: { probability: 1 } } })
  await scene.emit('ledger.matched')
  const { id } = await scene.waitForDelivery({ outcome: 'rejected' })
  await scene.request('PUT', '/_sandbox/chaos', {})
  await scene.idle()
  return { scene, rejectedId: id }
}

/** What is visible once a view is there. */
const sights: Readonly<Record<string, string>> = { deliveries: '.list .cover', bank: '.bank tbody tr' }

const desktop = { viewport: { width: 1440, height: 900 } }
const phone = { viewport: { width: 360, height: 780 }, isMobile: true, hasTouch: true }

test('every view is without findings of axe, in light and dark, on a desktop and on a phone', async () => {
  const { scene, rejectedId } = await busyScene()
  const views = {
    deliveries: '#/deliveries',
    signature: `#/deliveries/${rejectedId}`,
    body: `#/deliveries/${rejectedId}/body`,
    attempts: `#/deliveries/${rejectedId}/attempts`,
    diff: `#/deliveries/${rejectedId}/diff`,
    bank: '#/bank',
  }
  const found: string[] = []
  for (const [size, options] of Object.entries({ desktop, phone })) {
    for (const colorScheme of ['light', 'dark'] as const) {
      if (size === 'phone' && colorScheme === 'dark' && !process.env.LONG) {
        console.info('Pictures of a dark phone: skipped, because axe judged both parts. Set LONG=1.')
        continue
      }
      const page = await openInspector(scene.url, { ...options, colorScheme } as BrowserContextOptions)
      for (const [name, hash] of Object.entries(views)) {
        await page.evaluate((to) => {
          location.hash = to
        }, hash)
        await page
          .locator(sights[name] ?? '[role=tabpanel]')
          .first()
          .waitFor()
        await settled(page)
        if (size === 'phone' && name === 'attempts') {
          const box = page.getByRole('region', { name: 'Attempts, from side to side' })
          expect(await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
        }
        if (size === 'phone' && colorScheme === 'dark') {
          // The dark colors were judged on the desktop, the layout of a phone in light.
          await keepPicture(page, `${name}-${size}-${colorScheme}`)
          continue
        }
        found.push(...(await findings(page)).map((finding) => `${name} ${size} ${colorScheme}: ${finding}`))
        await keepPicture(page, `${name}-${size}-${colorScheme}`)
      }
    }
  }
  expect(found).toEqual([])
}, 300_000)

test('dialogs and open parts are without findings of axe', async () => {
  const { scene, rejectedId } = await busyScene()
  const page = await openInspector(scene.url, { hash: `#/deliveries/${rejectedId}` })
  await settled(page)
  for (const part of ['Emit an event', 'Approvals', 'Clock', 'Chaos']) {
    await page.locator('.fold > summary', { hasText: part }).click()
  }
  await page.locator('[data-menu=replay] > summary').click()
  expect(await findings(page)).toEqual([])
  await keepPicture(page, 'menus')
  await page.keyboard.press('Escape')
  for (const [key, title] of [
    ['e', 'Edit and send'],
    ['?', 'Keys'],
  ] as const) {
    await page.keyboard.press(key)
    await page.getByRole('dialog', { name: title }).waitFor()
    expect(await findings(page)).toEqual([])
    await keepPicture(page, title.toLowerCase().replaceAll(' ', '-'))
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
})

const widths = process.env.LONG ? [360, 768, 1100, 2560] : [360, 2560]
if (!process.env.LONG) {
  console.info('Widths of 768 and 1100 pixels: skipped, because they are between the others. Set LONG=1.')
}

test.each(widths)('nothing is cut off at a width of %i', async (width) => {
  const { scene, rejectedId } = await busyScene()
  const page = await openInspector(scene.url, { viewport: { width, height: 900 } })
  for (const hash of ['#/deliveries', `#/deliveries/${rejectedId}`, '#/bank']) {
    await page.evaluate((to) => {
      location.hash = to
    }, hash)
    await settled(page)
    expect(await pixelsBeyond(page)).toBeLessThanOrEqual(0)
    await keepPicture(page, `width-${width}-${hash.split('/')[1]}${hash.includes(rejectedId) ? '-open' : ''}`)
  }
})

test('the keyboard alone is enough: search, rows, replay, edit, pause, drawer and help', async () => {
  const { scene } = await busyScene()
  const page = await openInspector(scene.url, { viewport: { width: 1200, height: 900 } })
  await expect.poll(async () => (await rowsOf(page)).length).toBeGreaterThan(5)
  const press = (key: string) => page.keyboard.press(key)
  const opened = () => /#\/deliveries\/(dlv_\w+)/.exec(page.url())?.[1]

  await press('/')
  await page.keyboard.type('type:transfer.settled')
  await expect
    .poll(() => rowsOf(page))
    .toEqual(expect.arrayContaining([expect.stringContaining('transfer.settled')]))
  await press('Escape')
  await press('j')
  await press('j')
  await press('k')
  await press('Enter')
  await page.getByRole('tab', { name: 'Signature' }).waitFor()
  const first = opened()
  await press('j')
  await expect.poll(opened).not.toBe(first)
  await page.getByRole('tab', { name: 'Signature' }).waitFor()
  await press('k')
  await expect.poll(opened).toBe(first)
  await page.getByRole('tab', { name: 'Signature' }).waitFor()

  await press('r')
  await page.getByText(/Replayed once/).waitFor()
  await press('e')
  await page.getByRole('dialog', { name: 'Edit and send' }).waitFor()
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await press('c')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toBe('curl, as it was signed')
  await press('Escape')
  await press('p')
  await page.getByRole('button', { name: 'Go on' }).waitFor()
  await press('p')
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await press('m')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('label')?.textContent))
    .toMatch(/^Rail/)
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await press('Escape')
  // The address changes first. The change of view that follows would close a dialog.
  await page.locator('.pane').waitFor({ state: 'detached' })
  expect(opened()).toBeUndefined()
  await press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
})

test('the theme goes from that of the system to light and dark, and is remembered', async () => {
  const scene = await startScene({ forwardTo: [] })
  const page = await openInspector(scene.url, { colorScheme: 'light' })
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await page.getByRole('button', { name: 'Theme: light' }).click()
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  const dark = await ground()
  await page.reload()
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  expect(await ground()).toBe(dark)
  expect(dark).not.toBe('rgb(255, 255, 255)')
})

test('nothing moves where the system asks for less motion', async () => {
  const { scene } = await busyScene()
  const page = await openInspector(scene.url, { reducedMotion: 'reduce' })
  await settled(page)
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
})

/** Nothing is being read any more. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('domcontentloaded')
  await page
    .getByText(/^(Reading|Checking)/)
    .first()
    .waitFor({ state: 'detached', timeout: 60_000 })
}

test('the page works where the browser blocks its storage', async () => {
  const scene = await startScene()
  const page = await openInspector(scene.url)
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('Access is denied for this document.', 'SecurityError')
      },
    })
  })
  await page.reload()
  await page.getByRole('button', { name: 'Change to light.' }).click()
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('light')
})
