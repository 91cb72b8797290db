import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { rowsOf, useBrowser } from 'webhook-inbox-ui/browser'
import { openInspector, type Scene, startScene } from './scene.js'

useBrowser('inspector')

const run = promisify(execFile)

/** A scene with one delivered event, opened in the inspector. */
async function opened(options: Parameters<typeof startScene>[0] = {}) {
  const scene = await startScene({ retry: 'none', ...options })
  const { id } = await scene.emit('transfer.settled', { transferId: "tr_it's" })
  const seen = await scene.waitForDelivery({ eventId: id })
  const page = await openInspector(scene.url, {
    hash: `#/deliveries/${seen.id}`,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await page.getByRole('tab', { name: 'Signature' }).waitFor()
  return { scene, page, eventId: id }
}

const choose = async (page: Page, menu: string, item: string) => {
  await page.locator('summary', { hasText: menu }).click()
  await page.getByRole('button', { name: item }).click()
}

const signaturesOf = async (scene: Scene, eventId: string): Promise<string[]> => {
  const { body } = await scene.get(`/_sandbox/deliveries?eventId=${eventId}`)
  return body.data.map(({ signature }: { signature: string }) => signature)
}

test('replay, signed anew, as it was signed, ten times and twenty concurrently', async () => {
  const { scene, page, eventId } = await opened()
  await choose(page, 'Replay', 'Signed anew')
  await page.getByText('Replayed once: 200 duplicate.').waitFor()
  await choose(page, 'Replay', 'As it was signed')
  await expect.poll(async () => (await rowsOf(page)).length).toBe(3)
  const [again, , first] = await signaturesOf(scene, eventId)
  expect(again).toBe(first)
  await choose(page, 'Replay', '10 times, one after another')
  await page.getByText('Replayed 10 times: 200 duplicate, 10 times.').waitFor()
  await choose(page, 'Replay', '20 times concurrently')
  await page.getByText('Replayed 20 times: 200 duplicate, 20 times.').waitFor()
  await page.getByRole('tab', { name: 'Deliveries 33' }).waitFor()
})

test('edit and send: the receiver gets the edited bytes, and the page opens the new delivery', async () => {
  const { page, eventId } = await opened()
  await page.getByRole('button', { name: 'Edit and send' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit and send' })
  const body = dialog.getByRole('textbox', { name: 'Body' })
  await body.fill((await body.inputValue()).replace("tr_it's", 'tr_other'))
  await dialog.getByText('Same id, other content').waitFor()
  await dialog.getByRole('button', { name: 'Send 1 delivery' }).click()
  await page.getByText('Sent. This is the new delivery.').waitFor()
  await page.getByText('event_id_conflict').first().waitFor()
  await page.getByRole('tab', { name: 'Body' }).click()
  await page.getByText('"tr_other"').waitFor()
  await page.getByText(eventId).first().waitFor()
})

test.each([
  ['Signed with a wrong secret', 'You signed it with a wrong secret', 'signature_mismatch'],
  ['Without a signature', 'You sent it without a signature', 'missing_signature'],
])('edit and send: %s, which a receiver must reject', async (mode, words, code) => {
  const { page } = await opened()
  await page.getByRole('button', { name: 'Edit and send' }).click()
  await page.getByRole('combobox', { name: 'Signature' }).selectOption({ label: mode })
  await page.getByRole('button', { name: 'Send 1 delivery' }).click()
  await page.getByText(`This is the right response. ${words}, and your receiver noticed: ${code}.`).waitFor()
  await page.getByText('edited by you').waitFor()
  await page.getByRole('tab', { name: 'Signature' }).click()
  await page.getByText(new RegExp(`\\. ${words}\\.$`)).waitFor({ timeout: 60_000 })
  expect(await page.getByText('No correction that was tried').count()).toBe(0)
  await page.getByRole('tab', { name: 'Deliveries' }).click()
  await page.getByText('edited, shown here').waitFor()
})

test('edit and send: the signature of another body, and an old t', async () => {
  const { page } = await opened()
  const send = async (label: string, body: string | undefined, age: string) => {
    await page.getByRole('button', { name: 'Edit and send' }).click()
    await page.getByRole('combobox', { name: 'Signature' }).selectOption({ label })
    if (body) {
      await page.getByRole('textbox', { name: 'Body' }).fill(body)
    } else {
      await page.getByRole('spinbutton', { name: 'Age of t, in seconds' }).fill(age)
    }
    await page.getByRole('button', { name: 'Send 1 delivery' }).click()
  }
  await send('Signed anew, with the right secret', undefined, '600')
  await page
    .getByText(
      'Its t was 10 min old when it was sent, and your receiver noticed: timestamp_out_of_tolerance.',
    )
    .waitFor()
  await send('As this delivery was signed', '{"forged":true}', '')
  await page
    .getByText(
      'You sent it with the signature of another body, and your receiver noticed: signature_mismatch.',
    )
    .waitFor()
})

test('edit and send: a receiver that takes a wrong secret is told to reject it', async () => {
  const server = createServer((request, response) => {
    request.resume()
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { page } = await opened({
    forwardTo: [`http://127.0.0.1:${(server.address() as AddressInfo).port}/`],
  })
  await page.getByRole('button', { name: 'Edit and send' }).click()
  await page
    .getByRole('combobox', { name: 'Signature' })
    .selectOption({ label: 'Signed with a wrong secret' })
  await page.getByRole('button', { name: 'Send 1 delivery' }).click()
  await page
    .getByText('You signed it with a wrong secret, but your receiver responded 200. It must reject')
    .waitFor()
})

test('retry now makes the next attempt immediately', async () => {
  let isUp = false
  const settle = () => {
    if (!isUp) {
      throw new Error('down')
    }
  }
  const { page } = await opened({ retry: [3600], handlers: { 'transfer.settled': settle } })
  await page.getByText('Your receiver could not process it: 500 with handler_failed.').waitFor()
  isUp = true
  await page.getByRole('button', { name: 'Retry now' }).click()
  await page.getByText('Retried: 200 processed.').waitFor()
  await page.getByText('1 earlier attempt failed.').waitFor()
})

test('copy as curl gives a command that a shell runs', async () => {
  const { page, scene, eventId } = await opened()
  await choose(page, 'Copy as', 'curl')
  await page.getByText('Copied a curl command.').waitFor()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  const { stdout } = await run('bash', ['-c', command])
  expect(stdout).toContain('HTTP/1.1 200')
  expect(stdout).toContain(`"outcome":"duplicate","eventId":"${eventId}"`)
  expect((await scene.get(`/_sandbox/deliveries?eventId=${eventId}`)).body.data).toHaveLength(1)
})

test('copy as curl sends a body that names a file as it is', async () => {
  const received: string[] = []
  const server = createServer(async (request, response) => {
    received.push(await text(request))
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { page, scene, eventId } = await opened({ forwardTo: [`http://127.0.0.1:${port}/`] })
  const { body } = await scene.get(`/_sandbox/deliveries?eventId=${eventId}`)
  await scene.post(`/_sandbox/deliveries/${body.data[0].id}/send`, { body: '@/etc/hostname' })
  await page.getByRole('tab', { name: 'Deliveries' }).click()
  await page.getByRole('link', { name: 'edited' }).click()
  await page.getByText('edited, shown here').waitFor()
  await choose(page, 'Copy as', 'curl')
  await page.getByText('Copied a curl command.').waitFor()
  await run('bash', ['-c', await page.evaluate(() => navigator.clipboard.readText())])
  expect(received.slice(1)).toEqual(['@/etc/hostname', '@/etc/hostname'])
})

test('copy as a vitest test and as a fixture file', async () => {
  const { page, eventId, scene } = await opened()
  const { body } = await scene.get(`/_sandbox/deliveries?eventId=${eventId}`)
  const full = await scene.get(`/_sandbox/deliveries/${body.data[0].id}`)
  await choose(page, 'Copy as', 'vitest test')
  await page.getByText('Copied a vitest test.').waitFor()
  const code = await page.evaluate(() => navigator.clipboard.readText())
  expect(code).toContain(`Buffer.from("${full.body.tries[0].request.bodyBase64}", 'base64')`)
  const downloaded = page.waitForEvent('download')
  await choose(page, 'Copy as', 'Fixture file')
  const download = await downloaded
  expect(download.suggestedFilename()).toBe(`${eventId}.json`)
  expect(await readFile(await download.path(), 'utf8')).toBe(full.body.tries[0].request.body)
})
