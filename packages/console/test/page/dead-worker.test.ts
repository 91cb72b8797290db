import Libsql from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import { createReceiver, type Receiver, type Store } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { testSender } from 'webhook-inbox/testing'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { limitedConsole, listen, secret, sqliteFile } from '../rig.js'
import { openConsole } from './scene.js'

useBrowser('console')

const quiet = { info() {}, warn() {}, error() {} }

/** A process without a report for this time is regarded as ended. */
const aliveMilliseconds = 60_000

it('an open overview notices that the last worker is dead, and its ages go on', async () => {
  const { url, worker } = await openUnworked()
  worker.report(Date.now() - aliveMilliseconds + 6000)
  const page = await openConsole(url)
  const fact = (name: string) =>
    page.locator('dl.weather div', { has: page.getByText(name, { exact: true }) })
  await page.getByRole('heading', { name: '1 of 1 workers late' }).waitFor()
  const before = [await fact('Oldest waiting').textContent(), await fact('Arrived').textContent()]
  await page.getByRole('heading', { name: /^No process runs events/ }).waitFor({ timeout: 20_000 })
  const region = page.getByRole('region', { name: 'What is wrong' })
  await region.getByText('No process runs events, and 1 event waits.').waitFor()
  await fact('Workers').getByText('nothing runs').waitFor()
  await keepPicture(page, 'dead-worker')
  // Nothing has changed since, so what moves now moves by itself.
  const later = [await fact('Oldest waiting').textContent(), await fact('Arrived').textContent()]
  for (const [at, name] of ['Oldest waiting', 'Arrived'].entries()) {
    await expect.poll(() => fact(name).textContent(), { timeout: 10_000 }).not.toBe(later[at])
  }
  expect(later).not.toEqual(before)
})

it('calls a worker late that has missed two reports', async () => {
  const { url, worker } = await openUnworked()
  worker.report(Date.now() - 42_000)
  const page = await openConsole(url)
  await page.getByRole('heading', { name: 'Some events wait' }).waitFor()
  await page.getByRole('heading', { name: '1 of 1 workers late' }).waitFor()
  await page.getByRole('cell', { name: /^\d+ s ago, late$/ }).waitFor()
  const failed = page.locator('dl.weather div', { has: page.getByText('Failed', { exact: true }) })
  await failed.getByText('not retried while no process runs').waitFor()
  // One of two workers is enough.
  worker.report(Date.now(), 'two')
  await page.getByRole('heading', { name: '1 of 2 workers late' }).waitFor()
  await failed.getByText('retried automatically').waitFor()
  worker.report(Date.now())
  await page.getByRole('heading', { name: 'Some events wait' }).waitFor()
})

it('the page of an event notices it too', async () => {
  const { url, worker } = await openUnworked()
  worker.report(Date.now() - aliveMilliseconds + 4000)
  const page = await openConsole(url, { hash: '#/events/evt_waits' })
  await page.getByText(/No process that runs the events of \S+ has reported for 45 s/).waitFor()
  await page.getByText(/waits because no process runs the events/).waitFor({ timeout: 20_000 })
})

it('reads its views again at each heartbeat, so a healthy worker does not look dead', async () => {
  const { url, worker } = await openUnworked({ heartbeatSeconds: 0.5 })
  worker.report(Date.now() - 30_000)
  const page = await openConsole(url)
  const seen = page.getByRole('table', { name: 'Workers' }).locator('tbody td').nth(3)
  await expect.poll(() => seen.textContent(), { timeout: 10_000 }).toMatch(/^3\d s ago$/)
  worker.report(Date.now())
  await expect.poll(() => seen.textContent(), { timeout: 10_000 }).toMatch(/^(now|\d s ago)$/)
})

/** A console whose process runs no events, an event that waits, and a worker that reports when the test says so. */
async function openUnworked(limits: object = {}) {
  const { store, file } = await sqliteFile()
  const receiver = createReceiver({
    secret,
    endpoint: 'payments',
    store: store as Store<unknown>,
    queue: localQueue({}),
    logger: quiet,
    handlers: { async 'transfer.settled'() {} },
  } as Parameters<typeof createReceiver>[0]) as Receiver
  await receiver.start({ consume: false })
  onTestFinished(() => receiver.stop())
  await testSender({ receiver, secret }).send('transfer.settled', {} as never, { id: 'evt_waits' })
  const options = { authorize: () => true, actor: () => 'operator', logger: quiet }
  const worker = {
    report(at: number, id = 'one') {
      const database = new Libsql(file)
      database
        .prepare(
          `INSERT INTO webhook_inbox_workers (endpoint, id, process, version, limited, started_at, seen_at)
          VALUES ('payments', ?2, 'host:1', '1.0.0', '{"types":[],"resources":[]}', ?1, ?1)
          ON CONFLICT (endpoint, id) DO UPDATE SET seen_at = excluded.seen_at`,
        )
        .run(at, id)
      database.close()
    },
  }
  return { url: await listen(limitedConsole(receiver, options, limits)), worker }
}
