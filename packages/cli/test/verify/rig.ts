import { createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Setting, webhookInbox } from '../in-process.js'

export const secret = 'whsec_of_the_verify_tests'
export const now = 1_800_000_000
export const body =
  '{"id":"evt_1","type":"transfer.settled","createdAt":"2027-01-15T08:00:00Z","data":{"owner":"Zoë"}}'
/** The signature of these bytes, as the interface describes it. */
export const hex = (content: string | Buffer, key = secret) =>
  createHmac('sha256', key).update(`${now}.`).update(content).digest('hex')
export const header = `t=${now},v1=${hex(body)}`
const setting = { env: { WEBHOOK_SECRET: secret }, now }

/** A folder for the files of one test file. */
let folder: string
export const file = (name: string) => join(folder, name)
export const save = async (name: string, content: string | Uint8Array) => {
  await writeFile(file(name), content)
  return file(name)
}
/** Each file calls it, because the mutation tester loads this module once for several runs of a file. */
export function useFolder(): void {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'verify-'))
    await save('body.json', body)
  })
  afterAll(() => rm(folder, { recursive: true }))
}

export const verify = (args: readonly string[], rest: Setting = {}) =>
  webhookInbox(['verify', ...args], { ...setting, ...rest })

export const length = Buffer.byteLength(body)
/** A raw HTTP request with a body. */
export const raw = (text: string, signature = header) =>
  `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nService-Signature: ${signature}\r\nservice-event-id: evt_1\r\nContent-Length: ${length}\r\n\r\n${text}`

/** Verifies, and expects yes. */
export async function accepted(args: readonly string[], rest: Setting = {}) {
  const printed = await verify(args, rest)
  expect(printed.stdout).toMatch(/^yes\n/)
  return printed
}
