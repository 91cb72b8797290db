import { createHmac } from 'node:crypto'
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const programs = fileURLToPath(new URL('../packages/cli/test/programs', import.meta.url))
export const secret = 'whsec_ZXhhbXBsZSBvZiB0aGUgZG9jcw=='
export const now = 1_800_000_000

/** The files that the commands of the pages use. */
export async function writeFiles(folder: string): Promise<void> {
  const event = {
    id: 'evt_1',
    type: 'transfer.settled',
    environment: 'sandbox',
    createdAt: '2027-01-15T08:00:00Z',
    data: { transferId: 'tr_1', status: 'settled', rail: 'mobile_money', ledgerState: 'matched' },
  }
  const body = JSON.stringify(event)
  const sign = (text: string, key = secret) =>
    `t=${now - 12},v1=${createHmac('sha256', key)
      .update(`${now - 12}.${text}`)
      .digest('hex')}`
  const request = (text: string, header: string) =>
    `POST /webhooks HTTP/1.1\r\nContent-Type: application/json\r\nService-Signature: ${header}\r\nService-Event-Id: evt_1\r\n\r\n${text}`
  const pretty = JSON.stringify(event, undefined, 2)
  const files = {
    'body.json': body,
    'delivery.http': request(body, sign(body)),
    'parsed.http': request(pretty, sign(body)),
    'staging.http': request(body, sign(body, 'whsec_of_the_staging_endpoint')),
    'forged.http': request(body.replace('tr_1', 'tr_2'), sign(body)),
    'svix.http': request(body, svixHeader(body)),
  }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text)
  }
  for (const name of ['receiver.ts', 'describe-failure.ts']) {
    await copyFile(join(programs, name), join(folder, name))
  }
}

/** Signs as Standard Webhooks does, in the header of the service interface. */
function svixHeader(body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const digest = createHmac('sha256', key)
    .update(`evt_1.${now - 12}.${body}`)
    .digest('base64')
  return `t=${now - 12},v1=${digest}`
}
