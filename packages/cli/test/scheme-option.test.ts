import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { optionsOf } from 'webhook-inbox-sandbox/flags'
import { readScheme } from '../src/scheme-option.js'
import { webhookInbox } from './in-process.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scheme-'))
  await writeFile(join(folder, 'scheme.json'), '{ "content": "body", "key": "base64" }')
  await writeFile(join(folder, 'text'), 'not JSON')
})
afterAll(() => rm(folder, { recursive: true }))

describe('--scheme', () => {
  it.each([
    ['t-body-hex', { content: 'timestamp.body', encoding: 'hex' }],
    ['id-t-body-base64', { content: 'id.timestamp.body', encoding: 'base64' }],
    ['content=body,key=base64', { content: 'body', key: 'base64' }],
  ])('%s means the same to every command, the sandbox included', async (text, scheme) => {
    expect(await readScheme(text)).toEqual(scheme)
    expect(optionsOf({ scheme: text }, () => '')).toEqual({ scheme })
  })

  it('takes a JSON file', async () => {
    expect(await readScheme(join(folder, 'scheme.json'))).toEqual({ content: 'body', key: 'base64' })
  })

  it.each([
    ['content=bod', 'scheme.content must be one of'],
    ['contents=body', 'contents is not an option of scheme; did you mean content?'],
    ['none.json', 'cannot read none.json: there is no such file'],
  ])('rejects %s in one line', async (text, message) => {
    const args = ['sign', '-', '--scheme', text]
    const { code, stdout, stderr } = await webhookInbox(args, { env: { WEBHOOK_SECRET: 'whsec_scheme' } })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toMatch(/^webhook-inbox: .*\nSee webhook-inbox sign --help\.\n$/)
  })

  it('rejects a file that is not JSON, and says what it may be', async () => {
    await expect(readScheme(join(folder, 'text'))).rejects.toThrow(/a name such as t-body-hex .* is not JSON/)
  })
})
