import { useState } from 'preact/hooks'
import { announce, download, Menu } from 'webhook-inbox-ui'
import type { AuditRow, Page } from '../../../src/wire.js'
import { read } from '../call.js'
import { digits } from '../digits.js'
import { useProblem } from '../use-problem.js'
import { csvOf } from './csv.js'

/** An export ends after this many entries, or after this many requests. */
const mostEntries = 5000
const mostRequests = 50

interface Exported {
  readonly rows: readonly AuditRow[]
  /** Whether there are older ones. */
  readonly isCut: boolean
}

/** Saves the entries of the filter, newest first, each event of an operation as an entry of its own. */
export function Export({ filter }: { readonly filter: readonly (readonly [string, string])[] }) {
  const [problem, setProblem] = useProblem()
  const [isBusy, setIsBusy] = useState(false)
  const save = async (kind: 'csv' | 'jsonl') => {
    setIsBusy(true)
    try {
      const { rows, isCut } = await readAll(filter)
      if (kind === 'csv') {
        download('audits.csv', csvOf(rows), 'text/csv;charset=utf-8')
      } else {
        download('audits.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''), 'application/jsonl')
      }
      const saved = `Saved ${digits(rows.length)} entries.`
      announce(isCut ? `${saved} There are older ones: choose a time until then.` : saved)
      setProblem(undefined)
    } catch (error) {
      setProblem(error)
    }
    setIsBusy(false)
  }
  return (
    <>
      {problem && <p role="alert">{problem}</p>}
      <Menu label="Export" name="export">
        <button type="button" disabled={isBusy} onClick={() => void save('csv')}>
          CSV
        </button>
        <button type="button" disabled={isBusy} onClick={() => void save('jsonl')}>
          JSON lines
        </button>
      </Menu>
    </>
  )
}

async function readAll(filter: readonly (readonly [string, string])[]): Promise<Exported> {
  const rows: AuditRow[] = []
  let cursor = ''
  for (let request = 0; request < mostRequests && rows.length < mostEntries; request++) {
    const given = Object.fromEntries(filter)
    const query = new URLSearchParams({ ...given, single: 'true', limit: '200', cursor })
    const page = await read<Page<AuditRow>>(`audits?${query}`)
    rows.push(...page.rows)
    if (page.next === undefined) {
      return { rows, isCut: false }
    }
    cursor = page.next
  }
  return { rows, isCut: true }
}
