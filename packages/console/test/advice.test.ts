import { expect, it } from 'vitest'
import { codes } from 'webhook-inbox'
import { adviceFor, factOf } from '../src/views/advice.js'

it.each(Object.entries(codes))('words the fact and the cause of %s as its code does', (name, code) => {
  for (const isDelivery of [false, true]) {
    expect(code.fact.toLowerCase()).toContain(factOf(name, isDelivery)?.toLowerCase())
    expect(code.cause).toContain(adviceFor(name, isDelivery)?.cause)
  }
})
