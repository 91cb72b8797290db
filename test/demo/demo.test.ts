import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../examples/built.js'
import { start } from '../examples/program.js'

beforeAll(ensureBuilt)

const demo = (args: string[] = [], env: Record<string, string> = {}) =>
  start(process.execPath, ['--import', 'tsx', 'demo/main.ts', ...args], env)

const rows = (output: string) => output.split('\n').filter((line) => /^ {2}[✓=·×!] \d\d:/.test(line))

describe('the demo, once', () => {
  it('shows the expected verdict of every delivery and exits 0', async () => {
    const program = demo(['--once'])
    expect(await program.ended).toEqual({ code: 0, signal: null })
    const output = program.output()
    const shown = rows(output).map((row) => row.slice(14, 39).trim().concat(': ', row.slice(52, 68).trim()))
    expect(shown).toEqual([
      'a transfer settles: 200 processed',
      'the same event again: 200 duplicate',
      'one byte changed: 401 rejected',
      'signed 10 minutes ago: 401 rejected',
      'no signature: 401 rejected',
      'settled, in snake_case: 200 processed',
      'its approval, too late: 200 processed',
      'a type nobody handles: 200 ignored',
      'a handler that throws: 500 failed',
      'delivered again: 200 processed',
      '20 copies at once: 200 processed',
      'the other 19: 200 duplicate',
    ])
    expect(output).toMatch(/deliveries 30, 5 processed, 20 duplicate, 3 rejected, 1 ignored, 1 failed\n/)
    expect(output.match(/acted on 1 x/g)).toHaveLength(5)
    expect(output).toMatch('delivered  20 x, acted on 1 x')
    expect(output).toMatch('every event acted on was acted on exactly once')
    expect(output).toMatch('shared by this process only')
    expect(output).not.toMatch('\u001b')
    expect(output).not.toMatch(/whsec|expected/)
  })

  it('exits 1 and says what it expected where a verdict is another one', async () => {
    const sabotage = `data:text/javascript,${encodeURIComponent(`
      const real = globalThis.fetch
      globalThis.fetch = (url, init) => real(url, {
        ...init, headers: { ...init.headers, 'service-signature': 't=1,v1=00' },
      })`)}`
    const program = start(process.execPath, [
      '--import',
      sabotage,
      '--import',
      'tsx',
      'demo/main.ts',
      '--once',
    ])
    expect(await program.ended).toEqual({ code: 1, signal: null })
    expect(program.output()).toMatch('expected 1 x 200 processed')
    expect(program.output()).toMatch('expected 19 x 200 duplicate')
  })

  it('listens on PORT, and says so where it cannot', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const PORT = String((taken.address() as AddressInfo).port)
    const refused = demo(['--once'], { PORT })
    expect(await refused.ended).toEqual({ code: 1, signal: null })
    expect(refused.output()).toMatch(/^The demo cannot go on: .*EADDRINUSE.*\n$/)

    await new Promise((resolve) => taken.close(resolve))
    const program = demo(['--once'], { PORT })
    expect(await program.ended).toEqual({ code: 0, signal: null })
    expect(program.output()).toMatch(`http://127.0.0.1:${PORT}/webhooks`)
  })
})

describe('the demo, until Ctrl-C', () => {
  const command = /^curl -i [\s\S]*?--data-binary '.*'$/m
  const paste = async (text: string) => (await promisify(execFile)('sh', ['-c', text])).stdout

  it.each(['SIGINT', 'SIGTERM'] as const)('ends cleanly on %s with its books closed', async (signal) => {
    const program = demo()
    await program.says(/one byte changed/)
    expect(await program.end(signal)).toEqual({ code: 0, signal: null })
    expect(program.output()).toMatch(/The books[\s\S]*every event acted on was acted on exactly once\n\n$/)
  })

  it('prints a curl that is processed, then a duplicate, and refused when it is changed', async () => {
    const program = demo()
    const [text] = await program.says(command)
    expect(await paste(text)).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"outcome":"processed","eventId":"evt_\w{6}"\}$/,
    )
    expect(await paste(text)).toMatch('{"outcome":"duplicate"')
    expect(await paste(text.replace('mobile_money', 'mobile_monez'))).toMatch(
      '{"outcome":"rejected","code":"signature_mismatch"}',
    )
    await program.says(/yours +\d* *401 rejected/)
    expect(await program.end('SIGINT')).toEqual({ code: 0, signal: null })

    const id = /"id":"(evt_\w+)"/.exec(text)?.[1]
    const visits = rows(program.output()).filter((row) => row.includes('yours'))
    expect(visits).toHaveLength(3)
    expect(program.output()).toMatch(`${id}   transfer.settled   delivered   2 x, acted on 1 x`)
  })

  it('answers 404 beside its path', async () => {
    const program = demo()
    const [, origin] = await program.says(/receiver +(http:\/\/[\d.:]+)\/webhooks/)
    expect((await fetch(`${origin}/`)).status).toBe(404)
    expect(await program.end('SIGINT')).toEqual({ code: 0, signal: null })
  })
})
