import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { rowsOf, useBrowser } from 'webhook-inbox-ui/browser'
import { createSandbox } from '../../src/index.js'
import { shapeB } from '../rig.js'
import { openInspector, startScene } from './scene.js'

useBrowser('inspector')

test('deliveries arrive live, newest first, with the verdict of the receiver', async () => {
  const scene = await startScene()
  const page = await openInspector(scene.url)
  await page.getByText('No delivery yet').waitFor()
  await scene.post('/v1/transfers', shapeB())
  await expect
    .poll(() => rowsOf(page))
    .toEqual([
      expect.stringMatching(/Processedledger\.matched.*200 \d+ ms/),
      expect.stringMatching(/Processedtransfer\.settled.*200 \d+ ms/),
    ])
})

test('the list is filtered by verdict, type, endpoint and id, and the filter is the address', async () => {
  const scene = await startScene({ retry: 'none' })
  const { id } = await scene.emit('transfer.settled')
  await scene.emit('evidence.exported', {})
  await scene.subscribe({ url: 'http://127.0.0.1:9/nobody', events: ['ledger.*'] })
  await scene.emit('ledger.matched')
  await scene.idle()
  const page = await openInspector(scene.url)
  await expect.poll(async () => (await rowsOf(page)).length).toBe(4)
  await page.getByRole('button', { name: 'Ignored 1' }).click()
  await expect.poll(() => rowsOf(page)).toEqual([expect.stringContaining('evidence.exported')])
  expect(decodeURIComponent(page.url())).toContain('q=verdict:ignored')
  await page.reload()
  await expect.poll(() => rowsOf(page)).toEqual([expect.stringContaining('evidence.exported')])
  const search = page.getByRole('searchbox', { name: 'Search deliveries' })
  for (const [query, found] of [
    ['type:ledger.*', 2],
    ['to:9/nobody', 1],
    [`id:${id}`, 1],
    ['refused', 1],
    ['verdict:processed type:transfer.settled', 1],
    ['cause:replay', 0],
  ] as const) {
    await search.fill(query)
    await expect.poll(async () => (await rowsOf(page)).length, { message: query }).toBe(found)
  }
  await page.getByText('No delivery matches.').waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect.poll(async () => (await rowsOf(page)).length).toBe(4)
})

test('a pause freezes the list, and continuing shows the deliveries that arrived since', async () => {
  const scene = await startScene()
  await scene.emit('transfer.settled')
  await scene.idle()
  const page = await openInspector(scene.url)
  await expect.poll(async () => (await rowsOf(page)).length).toBe(1)
  await page.getByRole('button', { name: 'Pause' }).click()
  await scene.emit('ledger.matched')
  await page.getByRole('button', { name: 'Go on, 1 new' }).waitFor()
  expect(await rowsOf(page)).toHaveLength(1)
  await page.getByRole('button', { name: 'Go on, 1 new' }).click()
  await expect
    .poll(() => rowsOf(page))
    .toEqual([expect.stringContaining('ledger.matched'), expect.anything()])
})

test('the plots count good and bad responses and the retries that wait', async () => {
  const scene = await startScene({ retry: [3600] })
  await scene.emit('transfer.settled')
  await scene.subscribe({ url: 'http://127.0.0.1:9/nobody', events: ['ledger.*'] })
  await scene.emit('ledger.matched')
  await scene.waitForDelivery({ type: 'ledger.matched', outcome: 'processed' })
  const page = await openInspector(scene.url)
  await page.getByText('2 good, 1 bad').waitFor()
  await page.getByText('1 now, 1 at most').waitFor()
  await page.getByText(/latest p50 \d+ ms, p95 \d+ ms/).waitFor()
})

test('the plots of a page that is opened later count every attempt of the last minutes', async () => {
  const scene = await startScene({ retry: [0.05, 0.05], forwardTo: ['http://127.0.0.1:9/nobody'] })
  await scene.request('PUT', '/_sandbox/chaos', { all: { latency: { probability: 1, seconds: 0 } } })
  const { id: eventId } = await scene.emit('transfer.settled')
  await expect
    .poll(async () => (await scene.get(`/_sandbox/deliveries?eventId=${eventId}`)).body.data[0].state)
    .toBe('exhausted')
  const page = await openInspector(scene.url)
  await page.getByText('0 good, 3 bad').waitFor()
  await page.getByText('good up, bad down, chaos shaded').waitFor()
  // One step of ten seconds is drawn too.
  for (const trace of await page.locator('.trace').all()) {
    expect((await trace.boundingBox())?.width).toBeGreaterThan(1)
  }
})

test('a delivery without a response says so once', async () => {
  const scene = await startScene({ retry: 'none', forwardTo: ['http://127.0.0.1:9/nobody'] })
  await scene.emit('transfer.settled')
  const page = await openInspector(scene.url)
  await expect
    .poll(() => rowsOf(page))
    .toEqual([expect.stringMatching(/No responsetransfer\.settled…\w{6}1\/1 \d+ msconnection refused$/)])
})

test('the stream resumes after the sandbox was away, and shows what happened meanwhile', async () => {
  const { port } = await freePort()
  const start = () => createSandbox({ port, retry: 'none', forwardTo: ['http://127.0.0.1:9/nobody'] })
  const first = await start()
  await first.emit('transfer.settled')
  await first.idle()
  const page = await openInspector(first.url)
  await expect.poll(() => rowsOf(page)).toEqual([expect.stringContaining('transfer.settled')])
  await first.close()
  await page.getByText('Reconnecting').waitFor()
  const second = await start()
  onTestFinished(() => second.close())
  await second.emit('ledger.matched')
  await page.getByText('Live', { exact: true }).waitFor({ timeout: 20_000 })
  await expect.poll(() => rowsOf(page)).toEqual([expect.stringContaining('ledger.matched')])
  await second.emit('approval.updated')
  await expect.poll(async () => (await rowsOf(page)).length).toBe(2)
})

test('ten thousand deliveries stay smooth: the page renders those in view alone', async () => {
  const scene = await startScene({ clock: 'virtual', forwardTo: [] })
  // Chaos holds every first attempt back, so that the deliveries only wait.
  const reorder = { probability: 1, windowSeconds: 60 }
  await scene.request('PUT', '/_sandbox/chaos', { all: { reorder } })
  for (let count = 0; count < 100; count++) {
    await scene.subscribe({ url: `http://127.0.0.1:9/${count}`, events: ['*'] })
  }
  for (let count = 0; count < 100; count++) {
    await scene.emit(`count.n${String(count).padStart(3, '0')}`)
  }
  const page = await openInspector(scene.url)
  const older = page.getByRole('button', { name: 'Read 1,000 older' })
  for (let read = 1000; read < 10_000; read += 1000) {
    await page.getByRole('button', { name: `All ${read.toLocaleString('en')}` }).waitFor()
    await older.click()
  }
  await page.getByRole('button', { name: 'All 10,000' }).waitFor()
  await older.waitFor({ state: 'detached' })
  const rows = page.locator('.list tbody tr')
  const scroller = page.locator('.list-column')
  for (const [part, type] of [
    [0, 'count.n099'],
    [0.5, 'count.n049'],
    [1, 'count.n000'],
  ] as const) {
    await scroller.evaluate((element, to) => {
      element.scrollTop = to * element.scrollHeight
    }, part)
    await expect.poll(async () => (await rowsOf(page)).some((row) => row.includes(type))).toBe(true)
    expect(await rows.count()).toBeLessThan(100)
  }
})

async function freePort(): Promise<AddressInfo> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return address
}
