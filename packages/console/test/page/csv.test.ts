import { expect, it } from 'vitest'
import { csvOf } from '../../page/src/audits/csv.js'

/** The last cell of an entry with this reason, as it is written. */
function cellOf(reason: string): string | undefined {
  const [, row = ''] = csvOf([{ id: '1', at: 'now', actor: 'ada', action: 'pause', reason }]).split('\r\n')
  return /^"1","now","ada","pause","","","","",(".*")$/s.exec(row)?.[1]
}

it.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1+1', '\u00a0=1+1', '\t1', '\n1', '＝1+1', '＋1', '－1', '＠A1'])(
  'no spreadsheet runs a cell that begins like a formula: %j',
  (reason) => {
    expect(cellOf(reason)).toBe(`"'${reason}"`)
  },
)

it.each(['paid by hand', 'a = b', '1-2', 'ada@example.com', ' by hand'])(
  'another cell stays: %j',
  (reason) => {
    expect(cellOf(reason)).toBe(`"${reason}"`)
  },
)

it('doubles a quote', () => {
  expect(cellOf('the "first"')).toBe('"the ""first"""')
})
