import { describe, expect, it } from 'vitest'
import { hiddenJson, revealedBody, revealedQuery, sealedKeys } from '../src/guard/sealed-keys.js'

const secret = 'a secret of these tests'
const hash = 'ab'.repeat(32)
const short = 'ab'.repeat(12)
const keys = sealedKeys('pay.ments', secret)
const [key, group] = [`pay.ments/${hash}`, `pay.ments:${short}`]

describe('a key', () => {
  it.each([
    ['a delivery', key, /^pay\.ments\/[0-9a-f]{96}$/],
    ['a group', group, /^pay\.ments:[0-9a-f]{56}$/],
  ])('of %s is sealed, always to the same text, and revealed again', (_, text, form) => {
    const sealed = keys.seal(text)
    expect(sealed).toMatch(form)
    expect(sealed).not.toContain(hash.slice(0, 16))
    expect(keys.seal(text)).toBe(sealed)
    expect(keys.reveal(sealed)).toBe(text)
    expect(sealedKeys('pay.ments', secret).reveal(sealed)).toBe(text)
    expect(sealedKeys('pay.ments', undefined).seal(text)).not.toBe(sealed)
  })

  it('of another secret, or a changed one, is no link of this process', () => {
    const sealed = keys.seal(key)
    const changed = sealed.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
    const words =
      'This link is not of this process: it is from another one, from before a restart, or from outside the console. Open it from a list again. The option linkSecret keeps links valid.'
    for (const reveal of [
      () => sealedKeys('pay.ments', 'another secret of the tests').reveal(sealed),
      () => keys.reveal(changed),
      () => keys.reveal(key),
      () => keys.reveal(group),
    ]) {
      expect(reveal).toThrow(expect.objectContaining({ code: 'not_found', message: words }))
    }
  })

  it.each([
    ['of another endpoint', `other/${hash}`],
    ['of an endpoint that only looks the same', `payxments/${hash}`],
    ['that is too short', `pay.ments/${hash.slice(1)}`],
    ['that is too long', `pay.ments/${hash}a`],
    ['behind other words', `see pay.ments/${hash}`],
    ['with capitals', `pay.ments/${hash.toUpperCase()}`],
    ['of a group in the form of a delivery', `pay.ments/${short}`],
    ['of a cause that is a code', 'pay.ments:invalid_json'],
    ['of nothing', ''],
  ])('%s is left as it is', (_, text) => {
    expect([keys.seal(text), keys.reveal(text)]).toEqual([text, text])
  })

  it.each([
    [`no ${key} and ${group}.`, 'no pay.ments/••• and pay.ments:•••.'],
    [`x${key}`, 'xpay.ments/•••'],
    [`${key}a`, `${key}a`],
    [`${key}g`, 'pay.ments/•••g'],
    [`payxments/${hash}`, `payxments/${hash}`],
  ])('in the text %s is covered', (text, covered) => {
    expect(keys.cover(text)).toBe(covered)
  })
})

it('an answer has its keys sealed where they name something, and covered elsewhere', () => {
  const answer = {
    key,
    group,
    example: key,
    subject: group,
    next: key,
    error: `no ${key}`,
    text: key,
    n: 1,
    rows: [{ key }],
  }
  const sealed = keys.seal(key)
  expect(JSON.parse(hiddenJson(answer, keys))).toEqual({
    key: sealed,
    group: keys.seal(group),
    example: sealed,
    subject: keys.seal(group),
    next: sealed,
    error: 'no pay.ments/•••',
    text: key,
    n: 1,
    rows: [{ key: sealed }],
  })
})

it('a request has its keys revealed, except in what people write', () => {
  const sealed = keys.seal(key)
  const names = ['key', 'cursor', 'reason', 'text', 'body'] as const
  const query = revealedQuery(new URLSearchParams(names.map((name) => [name, sealed])), keys)
  expect([...query]).toEqual([
    ['key', key],
    ['cursor', key],
    ['reason', sealed],
    ['text', sealed],
    ['body', sealed],
  ])
  const body = {
    of: sealed,
    seen: { key: sealed, n: 1 },
    reason: sealed,
    text: sealed,
    body: sealed,
    list: [sealed],
  }
  expect(revealedBody(body, keys)).toEqual({
    of: key,
    seen: { key, n: 1 },
    reason: sealed,
    text: sealed,
    body: sealed,
    list: [key],
  })
})
