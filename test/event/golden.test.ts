import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseEvent } from '../../src/event/parse.js'

const folder = new URL('./golden/', import.meta.url)
const files = readdirSync(folder)

interface Golden {
  camelCase: { data: object; createdAt: string } & Record<string, unknown>
  snake_case: { data: object; created_at: string } & Record<string, unknown>
}

const read = (name: string): Golden => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
const parse = (envelope: object) => parseEvent(new TextEncoder().encode(JSON.stringify(envelope)))

it('there is a golden file for every event of the interface', () => {
  const types = files.map((name) => read(name).camelCase.type)
  expect(types.sort()).toEqual(['approval.updated', 'ledger.matched', 'transfer.failed', 'transfer.settled'])
})

describe.each(files)('%s', (name) => {
  const golden = read(name)
  const camel = parse(golden.camelCase)
  const snake = parse(golden.snake_case)

  it('has the same id, type, time and data from both envelopes', () => {
    for (const event of [camel, snake]) {
      const { id, type, createdAt, data } = event
      expect({ id, type, createdAt, data }).toStrictEqual({
        id: golden.camelCase.id,
        type: golden.camelCase.type,
        createdAt: golden.camelCase.createdAt,
        data: golden.camelCase.data,
      })
    }
  })

  it('names its envelope, and keeps the fields that only this envelope has', () => {
    expect(camel).toMatchObject({ representation: 'camelCase', environment: golden.camelCase.environment })
    expect(snake).toMatchObject({ representation: 'snake_case', product: golden.snake_case.product })
    expect(camel).not.toHaveProperty('product')
    expect(snake).not.toHaveProperty('environment')
  })

  it('keeps keys in their order', () => {
    expect(JSON.stringify(snake.data)).toBe(JSON.stringify(golden.camelCase.data))
  })

  it('can be parsed again from its raw bytes', () => {
    expect(JSON.parse(new TextDecoder().decode(snake.raw))).toStrictEqual(golden.snake_case)
  })
})
