import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { compareDocuments } from '../scripts/compare-openapi.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const text = readFileSync(`${root}/openapi.json`, 'utf8')

// biome-ignore lint/suspicious/noExplicitAny: a test edits the document
type Document = any

/** What the comparison says after an edit of the real document. */
function after(edit: (document: Document) => void): string[] {
  const edited = JSON.parse(text)
  edit(edited)
  return compareDocuments(JSON.parse(text), edited).map(({ kind, at, what }) => `${kind}: ${at} ${what}`)
}

const schemaOf = (document: Document, name: string) => document.components.schemas[name]

test('a document has no changes against itself, also where only words differ', () => {
  expect(after(() => {})).toEqual([])
  const words = (document: Document) => {
    document.info.version = '9.9.9'
    schemaOf(document, 'Wallet').description = 'Another text.'
    schemaOf(document, 'Wallet').properties.id['x-assumed'] = 'G99'
    document.paths['/v1/wallets'].get.summary = 'Another text'
  }
  expect(after(words)).toEqual([])
})

describe('additive is', () => {
  test('a new operation', () => {
    const add = (document: Document) => {
      document.paths['/v1/statements'] = { get: { operationId: 'x', responses: { 200: {} } } }
    }
    expect(after(add)).toEqual(['additive: GET /v1/statements is new'])
  })

  test('a new field of a response, a new optional field of a request, a new query parameter', () => {
    const answer = (document: Document) => {
      schemaOf(document, 'Balance').properties.held = { type: 'string' }
      schemaOf(document, 'Balance').required.push('held')
    }
    const request = (document: Document) => {
      schemaOf(document, 'WalletRequest').properties.label = { type: 'string' }
    }
    const parameter = (document: Document) => {
      const { get } = document.paths['/v1/wallets']
      get.parameters.push({ name: 'owner', in: 'query', schema: { type: 'string' } })
    }
    expect(after(answer)).toContain('additive: GET /v1/wallets/{id}/balance 200 held is new')
    expect(after(request)).toEqual(['additive: POST /v1/wallets request label is new'])
    expect(after(parameter)).toEqual(['additive: GET /v1/wallets parameter owner (query) is new'])
    expect([...after(answer), ...after(request)].join()).not.toContain('breaking')
  })

  test('a request that accepts more', () => {
    const longer = (document: Document) => {
      schemaOf(document, 'WebhookSubscriptionRequest').properties.description.maxLength = 500
    }
    for (const change of after(longer)) {
      expect(change).toMatch(/^additive: .* description maxLength was 255 and is 500$/)
    }
    expect(after(longer)).toHaveLength(2)
  })
})

describe('breaking is', () => {
  test('an operation, a response or a field of a response that is gone', () => {
    expect(after((document) => delete document.paths['/v1/wallets'].post)).toEqual([
      'breaking: POST /v1/wallets is gone',
    ])
    expect(after((document) => delete document.paths['/v1/wallets'].post.responses[201])).toEqual([
      'breaking: POST /v1/wallets 201 is gone',
    ])
    expect(after((document) => delete schemaOf(document, 'Transfer').properties.amountMinor)).toContain(
      'breaking: POST /v1/transfers 201 amountMinor is gone',
    )
  })

  test('a new required field of a request, and one that became required', () => {
    const required = (document: Document) => {
      schemaOf(document, 'WalletRequest').properties.label = { type: 'string' }
      schemaOf(document, 'WalletRequest').required.push('label')
    }
    expect(after(required)).toEqual(['breaking: POST /v1/wallets request label is new and required'])
    const phone = (document: Document) => schemaOf(document, 'TransferDestination').required.push('phone')
    expect(after(phone).join()).toMatch(/breaking: POST \/v1\/transfers request .*phone is required now/)
  })

  test('another type, a narrower bound of a request, and a response that may have more', () => {
    const type = (document: Document) => {
      schemaOf(document, 'Balance').properties.available.type = 'number'
    }
    expect(after(type)[0]).toMatch(/^breaking: .* available type was "string" and is "number"$/)
    const narrower = (document: Document) => {
      schemaOf(document, 'WebhookSubscriptionRequest').properties.description.maxLength = 100
    }
    expect(after(narrower)[0]).toMatch(/^breaking: .* description maxLength was 255 and is 100$/)
    const value = (document: Document) => {
      schemaOf(document, 'WebhookSubscriptionRequest').properties.envelope.enum.pop()
    }
    expect(after(value)[0]).toMatch(/^breaking: .* envelope has no value snake_case any more$/)
  })

  test('a field of an event that is gone: a receiver reads it', () => {
    const gone = (document: Document) => delete schemaOf(document, 'TransferSettledData').properties.rail
    expect(after(gone)).toContainEqual(expect.stringMatching(/^breaking: POST event request .*rail is gone$/))
  })
})

test('the script says what changed since a commit, and fails where it cannot read that commit', async () => {
  const run = (base: string) =>
    promisify(execFile)('npm', ['run', '--silent', 'openapi:diff', '--', base], { cwd: root })
  const { stdout } = await run('HEAD')
  expect(stdout).toMatch(/changes since HEAD, \d+ of them breaking\.\n$/)
  await expect(run('no-such-commit')).rejects.toMatchObject({ code: 2 })
}, 60_000)
