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

it('does not change, because jobs wait under it: readable up to 128 characters, a hash beyond', async () => {
  expect(await queueName('q', 'bank-1_EU')).toBe('q.bank-1_EU')
  expect(await queueName('q', 'a b\n')).toBe('q.a.20b.0a')
  expect(await queueName('q', 'ä')).toBe('q..c3.a4')
  expect(await queueName('q', 'e'.repeat(128))).toBe(`q.${'e'.repeat(128)}`)
  expect(await queueName('q', 'e'.repeat(129))).toMatch(/^q\.\.[\w-]{20,64}$/)
})
