import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openInspector, type Scene, startScene } from './scene.js'

useBrowser('inspector')

const pane = (page: Page) => page.getByRole('region', { name: 'Delivery', exact: true })

/** Opens the newest delivery of an event in its own window. */
async function openDelivery(scene: Scene, eventId: string, tab = 'signature') {
  const { body } = await scene.get(`/_sandbox/deliveries?eventId=${eventId}`)
  return openInspector(scene.url, { hash: `#/deliveries/${body.data[0].id}/${tab}` })
}

const fails = () => {
  throw new Error('the database is away')
}

const chaos = (scene: Scene, all: object) => scene.request('PUT', '/_sandbox/chaos', { all })

test('a delivery shows its life, its attempts and a sentence about the receiver', async () => {
  let runs = 0
  const fail = () => {
    runs += 1
    if (runs === 1) {
      throw new Error('the database is away')
    }
  }
  const scene = await startScene({ handlers: { 'transfer.settled': fail } })
  const page = await openInspector(scene.url)
  await scene.emit('transfer.settled', { transferId: 'tr_1' })
  await scene.waitForDelivery({ outcome: 'processed' })
  await page.getByRole('link', { name: 'transfer.settled' }).click()
  await pane(page)
    .getByText('Your receiver ran the handler and responded 200. 1 earlier attempt failed.')
    .waitFor()
  const life = pane(page).getByRole('list', { name: 'Its life' }).getByRole('listitem')
  await expect
    .poll(() => life.allTextContents())
    .toEqual([
      expect.stringMatching(/^Created/),
      expect.stringMatching(/^Failed 500attempt 1, \d+\sms/),
      expect.stringMatching(/^Processed 200attempt 2, \d+\sms/),
    ])
  await pane(page).getByRole('tab', { name: 'Attempts 2' }).click()
  await expect
    .poll(() => pane(page).getByRole('table', { name: 'Attempts' }).getByRole('row').allTextContents())
    .toEqual([
      expect.anything(),
      expect.stringMatching(/1Failed.*500 handler_failed.*connected \d+ ms/),
      expect.stringMatching(/2Processed.*200/),
    ])
})

test.each([360, 1000, 1280, 2560])(
  'the default schedule and the tabs fit at a width of %i',
  async (width) => {
    const scene = await startScene({
      clock: 'virtual',
      retry: 'fast',
      forwardTo: ['http://127.0.0.1:9/nobody'],
    })
    await scene.request('PUT', '/_sandbox/chaos', { all: { latency: { probability: 1, seconds: 0 } } })
    const { id } = await scene.emit('transfer.settled')
    const { body } = await scene.get(`/_sandbox/deliveries?eventId=${id}`)
    const page = await openInspector(scene.url, {
      hash: `#/deliveries/${body.data[0].id}`,
      viewport: { width, height: 900 },
    })
    const stations = pane(page).getByRole('list', { name: 'Its life' }).getByRole('listitem')
    for (const seconds of [0, 1, 2, 5, 10, 30]) {
      await scene.advance({ seconds })
      await page.getByText('ECONNREFUSED').first().waitFor()
      const last = seconds < 30 ? 'Next attempt' : 'attempt 6'
      await expect.poll(() => stations.last().textContent()).toContain(last)
      const outer = await pane(page).boundingBox()
      for (const part of [...(await stations.all()), ...(await pane(page).getByRole('tab').all())]) {
        const inner = await part.boundingBox()
        expect(inner?.x).toBeGreaterThanOrEqual(outer?.x ?? Number.NaN)
        const right = (outer?.x ?? Number.NaN) + (outer?.width ?? Number.NaN)
        expect((inner?.x ?? Number.NaN) + (inner?.width ?? Number.NaN)).toBeLessThanOrEqual(right)
        expect(await part.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(0)
      }
    }
  },
)

test('an open delivery is updated live', async () => {
  const scene = await startScene({ clock: 'virtual', retry: [60] })
  await scene.subscribe({ url: 'http://127.0.0.1:9/nobody', events: ['approval.updated'] })
  const { id } = await scene.emit('approval.updated')
  await scene.idle()
  const page = await openDelivery(scene, id)
  await pane(page)
    .getByText(
      'No complete response: connection refused (ECONNREFUSED). The sandbox retries it 1 min after the last attempt.',
    )
    .waitFor()
  await pane(page).getByText('Next attempt in 1 min').waitFor()
  await scene.advance({ seconds: 60 })
  await pane(page).getByText('The schedule is over; nothing more is sent unless you replay it.').waitFor()
  await pane(page).getByRole('tab', { name: 'Attempts 2' }).waitFor()
})

test('a late response does not replace a newer one', async () => {
  const scene = await startScene({ retry: [3600], handlers: { 'transfer.settled': fails } })
  const { id: eventId } = await scene.emit('transfer.settled')
  const { id } = await scene.waitForDelivery({ eventId })
  const page = await openInspector(scene.url)
  let answerLate = () => {}
  const isNewestShown = new Promise<void>((resolve) => {
    answerLate = resolve
  })
  await page.route(
    `**/_sandbox/deliveries/${id}`,
    async (route) => {
      const response = await route.fetch()
      await isNewestShown
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  const isAsked = page.waitForRequest(`**/_sandbox/deliveries/${id}`)
  await page.getByRole('link', { name: 'transfer.settled' }).click()
  await isAsked
  await scene.post(`/_sandbox/deliveries/${id}/retry`, {})
  await page.getByRole('tab', { name: 'Attempts 2' }).waitFor()
  const isAnswered = page.waitForResponse((response) => response.url().includes(`eventId=${eventId}`))
  answerLate()
  await isAnswered
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  expect(await page.getByRole('tab', { name: 'Attempts 2' }).count()).toBe(1)
})

test('the signature is explained in the words of verify, by the clock of the receiver', async () => {
  // The clock of the sandbox stands in another year; the receiver judges by its own.
  const scene = await startScene({ clock: 'virtual' })
  const { id } = await scene.emit('transfer.settled')
  await scene.idle()
  const page = await openDelivery(scene, id)
  await pane(page).getByText('The signature matches.').waitFor()
  await pane(page)
    .getByText(/within the tolerance of 300\ss/)
    .waitFor()
  await pane(page)
    .getByText(/Z, 0 seconds old when it was sent: within/)
    .waitFor()
  await pane(page).getByText('v1 is an HMAC-SHA-256 in hex over t, a dot and the body').waitFor()
  await pane(page)
    .getByRole('row', { name: /^v1 holds/ })
    .waitFor()
})

test('a signature that chaos changed is explained, and its rejection called right', async () => {
  const scene = await startScene({ retry: 'none' })
  await chaos(scene, { corruptSignature: { probability: 1 } })
  const { id } = await scene.emit('transfer.settled')
  await scene.waitForDelivery({ eventId: id })
  const page = await openDelivery(scene, id)
  await pane(page).getByText('This is the right response. Chaos changed the signature').waitFor()
  await pane(page)
    .getByText('The signature does not match these bytes and this secret.')
    .waitFor({ timeout: 60_000 })
  await pane(page)
    .getByRole('row', { name: /^v1 does not hold/ })
    .waitFor()
  // One digit differs, and both forms mark it.
  expect(await pane(page).locator('del').allTextContents()).toHaveLength(1)
  expect(await pane(page).locator('ins').allTextContents()).toHaveLength(1)
})

test('a t outside the tolerance is explained', async () => {
  const scene = await startScene({ retry: 'none' })
  await chaos(scene, { skew: { probability: 1, seconds: -900 } })
  const { id } = await scene.emit('transfer.settled')
  await scene.waitForDelivery({ eventId: id })
  const page = await openDelivery(scene, id)
  await pane(page).getByText('its timestamp is outside the tolerance').waitFor()
  await pane(page).getByRole('img', { name: 'Sent 900 s after t, outside the tolerance of 300 s' }).waitFor()
})

test('a receiver with another secret is distinguished from a wrong signature', async () => {
  const scene = await startScene({ retry: 'none', receiverSecret: 'whsec_of_another_receiver' })
  const { id } = await scene.emit('transfer.settled')
  await scene.waitForDelivery({ eventId: id })
  const page = await openDelivery(scene, id)
  await pane(page).getByText('The signature matches.').waitFor()
  await pane(page)
    .getByText('Your receiver responded signature_mismatch all the same. It has another secret')
    .waitFor()
})

test('bodies are shown laid out, as text and as exact bytes, beside the headers', async () => {
  const scene = await startScene()
  const { id } = await scene.emit('transfer.settled', { note: 'Ω', big: '12345678901234567890' })
  await scene.waitForDelivery({ eventId: id })
  const { body } = await scene.get(`/_sandbox/deliveries?eventId=${id}`)
  const full = await scene.get(`/_sandbox/deliveries/${body.data[0].id}`)
  const sent = full.body.tries[0].request
  const page = await openDelivery(scene, id, 'body')
  const shown = pane(page).getByRole('region', { name: 'Body of the request' })
  await expect.poll(() => shown.textContent()).toContain('\n    "note": "Ω",')
  await pane(page).getByRole('button', { name: 'Text' }).click()
  await expect.poll(() => shown.textContent()).toBe(sent.body)
  await pane(page).getByRole('button', { name: 'Hex' }).click()
  await expect.poll(() => shown.textContent()).toMatch(/^000000 {2}7b 22 69 64 22 3a/)
  const dumped = (await shown.textContent())
    ?.split('\n')
    .flatMap((line) => line.slice(8, 55).trim().split(' '))
  expect(Buffer.from(dumped?.join('') ?? '', 'hex').toString('base64')).toBe(sent.bodyBase64)
  await pane(page).getByRole('tab', { name: 'Headers' }).click()
  await pane(page)
    .getByRole('row', { name: `Service-Event-Id ${id}` })
    .waitFor()
  await pane(page).getByRole('tab', { name: 'Response' }).click()
  await pane(page).getByText('HTTP 200').waitFor()
  await pane(page).getByText('"outcome": "processed"').waitFor()
})

test.each([360, 1280])('the deliveries of an event show their receivers at a width of %i', async (width) => {
  const scene = await startScene({ retry: 'none' })
  await scene.subscribe({ url: 'http://127.0.0.1:9/dead', events: ['*'] })
  const { id } = await scene.emit('transfer.settled')
  await scene.idle()
  const { body } = await scene.get(`/_sandbox/deliveries?eventId=${id}`)
  const page = await openInspector(scene.url, {
    hash: `#/deliveries/${body.data[0].id}/deliveries`,
    viewport: { width, height: 900 },
  })
  const port = new URL(scene.receiverUrl).port
  await pane(page).getByText(':9/dead', { exact: true }).waitFor()
  await pane(page).getByText(`:${port}/webhooks`, { exact: true }).waitFor()
  const box = page.getByRole('region', { name: 'Deliveries of this event, from side to side' })
  expect(await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
})

test('two attempts and two deliveries can be compared', async () => {
  const scene = await startScene()
  const { id } = await scene.emit('transfer.settled')
  await scene.waitForDelivery({ eventId: id })
  await scene.replay(id)
  const page = await openDelivery(scene, id, 'deliveries')
  const siblings = pane(page).getByRole('table', { name: 'Deliveries of this event' })
  await expect
    .poll(() => siblings.getByRole('row').allTextContents())
    .toEqual([
      expect.anything(),
      expect.stringMatching(/Duplicatereplay, shown here/),
      expect.stringMatching(/Processedevent/),
    ])
  await pane(page).getByRole('tab', { name: 'Diff' }).click()
  const answer = pane(page).getByRole('region', { name: 'Differences of the response' })
  await expect
    .poll(() => answer.locator('del').allTextContents())
    .toContainEqual(expect.stringContaining('"processed"'))
  await expect
    .poll(() => answer.locator('ins').allTextContents())
    .toContainEqual(expect.stringContaining('"duplicate"'))
})
