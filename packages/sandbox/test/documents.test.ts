import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { calls } from '../scripts/calls.js'
import { commandOf } from '../scripts/curl-page.js'
import { gaps } from '../src/gaps.js'
import { startTestSandbox } from './rig.js'

const run = promisify(execFile)
const path = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url))
const committed = (name: string) => readFileSync(path(name), 'utf8')

describe('openapi.json', () => {
  const document = JSON.parse(committed('openapi.json'))

  test('is shipped by the client and by the sandbox', () => {
    for (const name of ['client', 'sandbox']) {
      expect(committed(`packages/${name}/openapi.json`)).toBe(committed('openapi.json'))
      expect(JSON.parse(committed(`packages/${name}/package.json`)).files).toContain('openapi.json')
    }
  })

  test('is accepted by @seriousme/openapi-schema-validator', async () => {
    const { valid, errors } = await new Validator().validate(document)
    expect([valid, errors]).toEqual([true, undefined])
  })

  test('is accepted by @redocly/cli without a warning', async () => {
    const arguments_ = ['redocly', 'lint', path('openapi.json'), '--format', 'json']
    const { stdout } = await run('npx', arguments_, { cwd: path('.'), maxBuffer: 1e8 })
    const { totals } = JSON.parse(stdout.slice(stdout.indexOf('{')))
    expect(totals).toMatchObject({ errors: 0, warnings: 0 })
  }, 120_000)

  test('has both envelopes of the webhook as oneOf', () => {
    const { schema, examples } = document.webhooks.event.post.requestBody.content['application/json']
    expect(schema.oneOf).toHaveLength(2)
    expect(Object.keys(examples)).toEqual(['camelCase', 'snake_case'])
  })

  test('marks every operation that rests on a gap, with a number of the table of gaps', () => {
    const marks = new Set<string>()
    JSON.stringify(document, (key, value) => {
      if (key === 'x-assumed') {
        for (const id of String(value).split(', ')) {
          marks.add(id)
        }
      }
      return value
    })
    const known = gaps.map(({ id }) => id as string)
    expect([...marks].filter((id) => !known.includes(id))).toEqual([])
    for (const item of Object.values<Record<string, object>>(document.paths)) {
      for (const operation of Object.values(item)) {
        expect(operation).toHaveProperty('x-assumed')
      }
    }
  })

  test('has an example for every operation', () => {
    const shown = new Set(calls.map(({ operationId }) => operationId))
    const operations = Object.values<Record<string, { operationId: string }>>(document.paths)
    const ids = operations.flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    expect(ids.filter((id) => !shown.has(id))).toEqual([])
  })
})

describe('docs/curl.md', () => {
  test('has commands that work: each is run by a shell', async () => {
    const sandbox = await startTestSandbox()
    const page = committed('docs/curl.md')
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      SERVICE_ORIGIN: sandbox.url,
      SERVICE_API_KEY: sandbox.apiKey,
    }
    for (const call of calls) {
      const command = commandOf(call)
      expect(page).toContain(command)
      if (call.afterSeconds) {
        await sandbox.advance({ seconds: call.afterSeconds })
      }
      const { stdout } = await run('bash', ['-c', `${command} -s -w '\\n%{http_code}'`], { env })
      const [status, ...lines] = stdout.split('\n').reverse()
      expect([call.title, status]).toEqual([call.title, String(call.status)])
      if (!call.saves) {
        continue
      }
      const body = JSON.parse(lines.reverse().join('\n'))
      env[call.saves] = body.id ?? body.data[0].id
    }
  })
})
