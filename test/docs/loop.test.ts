import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createSandbox } from 'webhook-inbox-sandbox'
import { root, runnable } from './documents.js'

/** Runs a program of a document to its end, in a folder where it finds the installed packages. */
async function output(code: string, env: Record<string, string> = {}): Promise<string> {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'program.mts')
  writeFileSync(path, code)
  const options = { cwd: folder, env: { ...process.env, ...env } }
  return (await promisify(execFile)(process.execPath, ['--import', 'tsx', path], options)).stdout
}

test('the program of docs/integration.md handles the transfer that it makes', async () => {
  const shown = await output(runnable('docs/integration.md', 'integration'))
  const [, credited] = /^credited (tr_\w+)$/m.exec(shown) ?? []
  expect(credited).toBeTruthy()
  expect(shown).toMatch(new RegExp(`^delivered evt_\\w+ for ${credited}$`, 'm'))
})

test('the program of the client calls the sandbox', async () => {
  const sandbox = await createSandbox({ port: 0, settleAfterSeconds: 0 })
  onTestFinished(() => sandbox.close())
  const shown = await output(runnable('packages/client/README.md', 'client'), {
    SERVICE_URL: `${sandbox.url}/v1`,
    SERVICE_API_KEY: sandbox.apiKey,
  })
  expect(shown).toMatch(
    /^wallet_kes_\w+ 0\.00\ntr_\w+ pending\nledger\.matched evt_\w+\ntransfer\.settled evt_\w+\n/,
  )
})
