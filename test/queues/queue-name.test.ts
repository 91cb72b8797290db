import { expect, it } from 'vitest'
import { queueName } from '../../src/queue/queue-name.js'

it('gives different endpoints different names that every engine allows, for long and unusual ones too', async () => {
  const long = 'e'.repeat(250)
  const endpoints = [
    'a',
    'A',
    'a.',
    'a.2e',
    'a b',
    'a/b',
    'a:b',
    'ä',
    '.',
    '..',
    `${long}1`,
    `${long}2`,
    'Ü'.repeat(255),
  ]
  const names = await Promise.all(endpoints.map((endpoint) => queueName('webhook-inbox', endpoint)))
  expect(new Set(names).size).toBe(endpoints.length)
  for (const name of names) {
    expect(name).toMatch(/^webhook-inbox\.[\w.-]{1,186}$/)
  }
  expect(await queueName('webhook-inbox', `${long}1`)).toBe(names[endpoints.indexOf(`${long}1`)])
})
