import { expect, it } from 'vitest'
import { csvOf } from '../../page/src/audits/csv.js'

/** The cell of a reason, the last one of its line. */
const cellOf = (reason: string) =>
  csvOf([{ id: '1', at: '', actor: '', action: 'pause', reason }])
    .slice(0, -2)
    .split('","')
    .at(-1)

it.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\t1', '\r1', '\n1', '＝1', '＋1', '－1', '＠1'])(
  'no spreadsheet runs the cell %j',
  (reason) => {
    expect(cellOf(reason)).toBe(`'${reason}"`)
  },
)

it.each(['refused', 'a = b', '1-2', 'ada@example.com', ''])('leaves the cell %j as it is', (reason) => {
  expect(cellOf(reason)).toBe(`${reason}"`)
})
