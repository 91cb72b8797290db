import { expect, test } from 'vitest'
import { currencies } from '../../src/schemas/index.js'

/** What the engine lists beside ours, each with its reason. Another version of ICU may list less. */
const onlyInTheEngine = {
  ANG: 'replaced by XCG in 2025',
  BGN: 'replaced by EUR in 2026',
  CUC: 'withdrawn in 2021',
  HRK: 'replaced by EUR in 2023',
  SLL: 'replaced by SLE',
  XDR: 'a unit of account',
  XSU: 'a unit of account',
  ZWL: 'replaced by ZWG',
}

/** What this package lists and the engine does not. */
const onlyHere = { VED: 'the engine lists VES alone' }

test('the list of currencies equals the list of the engine, except for listed differences', () => {
  const engine = new Set(Intl.supportedValuesOf('currency'))
  expect([...currencies].filter((code) => !engine.has(code))).toEqual(Object.keys(onlyHere))
  const unexplained = [...engine].filter(
    (code) => !currencies.has(code) && !Object.hasOwn(onlyInTheEngine, code),
  )
  expect(unexplained).toEqual([])
  for (const code of Object.keys(onlyInTheEngine)) {
    expect(currencies.has(code)).toBe(false)
  }
})
