import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { killWithUs } from '../../../../test/servers/kill-with-us.js'
import { limitedConsole, listen, openInbox, sqliteFile } from '../rig.js'
import { openConsole } from './scene.js'

useBrowser('console')

const quiet = { info() {}, warn() {}, error() {} }

it('says soon that another process locks the file, and calls no worker dead', async () => {
  const { store, file } = await sqliteFile()
  const { receiver, send, until } = await openInbox(async () => store)
  await send('transfer.settled', {}, 'evt_done')
  await until(({ done }) => done === 1)
  const options = { authorize: () => true, actor: () => 'operator', logger: quiet }
  const page = await openConsole(await listen(limitedConsole(receiver, options, { lookSeconds: 0.5 })))
  const workers = page.getByRole('table', { name: 'Workers' })
  // A busy machine may not show the moment of a report, but a moment later.
  await workers
    .getByText(/^(now|\d+ s ago)$/)
    .first()
    .waitFor()
  const unlock = await lock(file, 50)
  const banner = page.getByText(
    /^Another transaction locks the tables of the inbox\. Everything below is as of/,
  )
  await banner.waitFor()
  // The last report of the process is old now, and it cannot make another one.
  await workers.waitFor()
  const dead = page.getByText(/no process runs events|workers? late|, late$/i)
  for (const end = Date.now() + 12_000; Date.now() < end; await page.waitForTimeout(200)) {
    expect([await dead.count(), await banner.count()]).toEqual([0, 1])
  }
  await keepPicture(page, 'locked-file')
  unlock()
  await page.getByText('Live', { exact: true }).waitFor()
})

/**
 * Holds the write lock of a file in a process of its own, after a worker was last seen so many seconds ago. Returns a function that
 * ends it.
 */
async function lock(file: string, silentSeconds: number): Promise<() => void> {
  const holder = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import Libsql from 'libsql'
      const database = new Libsql(process.argv[1])
      database.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE; UPDATE webhook_inbox_workers SET seen_at = seen_at - ${silentSeconds * 1000}; COMMIT; BEGIN IMMEDIATE')
      console.log('locked')
      // Without a use of it the database may be collected, and its lock with it.
      setInterval(() => database.open, 1000)`,
      file,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  killWithUs(holder)
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  return () => holder.kill('SIGKILL')
}
