import Libsql from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import { createReceiver, type Store } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox, secret, sqliteFile } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

it('says that no process works on an operation, until one does', async () => {
  const { store, file } = await sqliteFile()
  const first = await openInbox(async () => store)
  await first.send('transfer.failed', {}, 'evt_1')
  await first.until(({ dead }) => dead === 1)
  await first.receiver.stop()
  const receiver = createReceiver({
    secret,
    endpoint: 'payments',
    store: store as Store<unknown>,
    queue: localQueue({ pollSeconds: 0.05, onError() {} }),
    logger: { info() {}, warn() {}, error() {} },
    fallback: async () => {},
  })
  const plan = await receiver.plan({ action: 'replay' })
  const run = await receiver.run(plan, { reason: 'the bank is back', actor: 'operator 2', canary: 0 })
  const database = new Libsql(file)
  database.exec('UPDATE webhook_inbox_runs SET created_at = created_at - 60000')
  database.close()
  const url = await mount({ receiver } as never)
  const page = await openConsole(url, { hash: `#/operations/${run.id}` })
  await page.getByText('No process works on it.', { exact: false }).waitFor()
  await page.getByText('Waits for a process', { exact: true }).waitFor()
  expect(await page.getByText('Running', { exact: true }).count()).toBe(0)
  await keepPicture(page, 'run-left')
  await page.getByRole('link', { name: 'Operations' }).first().click()
  await page.getByText('Waits for a process', { exact: true }).waitFor()
  await page.goBack()
  await receiver.start()
  onTestFinished(() => receiver.stop())
  await page.getByText('Ended', { exact: true }).first().waitFor()
  expect(await page.getByText('No process works on it.', { exact: false }).count()).toBe(0)
})
