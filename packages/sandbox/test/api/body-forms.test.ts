import { describe, expect, test } from 'vitest'
import { duplicateKeys } from '../../src/api/duplicate-keys.js'
import { startTestSandbox } from '../rig.js'

const wallet = { owner: 'cus_ada', currency: 'KES' }

describe('a body', () => {
  test.each([
    ['application/json ; charset=utf-8', 201],
    [' application/json', 201],
    ['application/a-b.c1+json', 201],
    ['xapplication/json', 415],
    ['application/jsonx', 415],
    ['application/+json', 415],
    ['application/a_b+json', 415],
    ['text/json', 415],
  ])('with the Content-Type %j is answered with %i', async (type, status) => {
    const sandbox = await startTestSandbox()
    const answer = await sandbox.post('/v1/wallets', wallet, { 'Content-Type': type })
    expect(answer.status).toBe(status)
  })

  test('that is too large ends its connection, because its rest is not read', async () => {
    const sandbox = await startTestSandbox()
    const { status, headers, body } = await sandbox.post('/v1/wallets', ' '.repeat(262_145))
    expect([status, headers.get('connection'), body.title]).toEqual([413, 'close', 'The body is too large'])
  })

  test('of 64 levels is read, and one of 65 is not, in lists and in objects', async () => {
    const sandbox = await startTestSandbox()
    const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    for (const nested of [lists, objects]) {
      const codes = []
      for (const levels of [64, 65]) {
        codes.push((await sandbox.post('/v1/wallets', nested(levels))).body.code)
      }
      expect(codes).toEqual(['invalid_request', 'malformed_request'])
    }
    expect((await sandbox.post('/v1/wallets', 'null')).body.code).toBe('invalid_request')
  })

  test.each([
    ['{"a":1,"b":2,"a":3,"b":4}', ['a', 'b']],
    ['{"a":[{"b":1}],"b":1,"a":[]}', ['a']],
    ['[{"a":1},{"a":1}]', []],
    ['{"a":{"x":1},"b":{"x":1}}', []],
    ['{"a":{},"x":1,"b":[],"x":2}', ['x']],
    ['{"a\\\\":1,"a\\\\":2}', ['a\\']],
    ['{"\\"":1,"\\"":2}', ['"']],
    ['{"a":"{","b":"}","a":"["}', ['a']],
    ['{ "a" : 1 , "a" : 2 }', ['a']],
    ['{"":1,"":2}', ['']],
  ])('%s repeats the keys %j', (text, keys) => {
    expect(duplicateKeys(text)).toEqual(keys)
  })

  test('with a strange key gets a warning in ASCII, of 500 characters at most', async () => {
    const sandbox = await startTestSandbox()
    const repeated = (name: string) =>
      sandbox.post('/v1/wallets', `{"${name}":1,"${name}":2,${JSON.stringify(wallet).slice(1)}`)
    expect((await repeated('ä€~ ')).headers.get('sandbox-warning')).toBe(
      'the key "??~ " is there twice, the last value counts',
    )
    const long = (await repeated('k'.repeat(600))).headers.get('sandbox-warning')
    expect(long).toBe(`the key "${'k'.repeat(491)}`)
  })
})
