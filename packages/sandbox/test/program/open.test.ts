import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startProgram } from './program.js'

// The opener of macOS and Windows is not looked up in PATH alone.
test.runIf(process.platform === 'linux')('--open opens the inspector, which is there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'open-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const opened = join(folder, 'opened')
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > "${opened}"\n`, { mode: 0o755 })
  const path = process.env.PATH
  process.env.PATH = `${folder}:${path}`
  const program = startProgram(['--port', '0', '--open'])
  process.env.PATH = path
  const line = await program.line(/^inspector/)
  const address = /http:\S+/.exec(line)?.[0] as string
  await expect
    .poll(
      () => {
        try {
          return readFileSync(opened, 'utf8')
        } catch {
          return ''
        }
      },
      { timeout: 20_000 },
    )
    .toBe(address)
  const page = await fetch(address)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<title>Sandbox inspector</title>')
})
