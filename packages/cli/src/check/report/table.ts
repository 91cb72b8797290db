import type { CaseResult, Verdict } from '../case.js'

/** How the table is drawn. */
export interface TableOptions {
  /** Colors text; the default leaves it as it is. */
  readonly paint?: (color: 'green' | 'yellow' | 'red' | 'gray' | 'bold', text: string) => string
}

/** Writes results as lines for a person: one for each case, and what to do below those that are not a pass. */
export function tableReporter({ paint = (_color, text) => text }: TableOptions = {}) {
  let group: string | undefined
  return {
    /** The lines for one result, without a newline at the end. */
    result(result: CaseResult): string {
      const { id, title, verdict } = result
      const { mark, color } = looks[verdict]
      const lines: string[] = []
      if (result.group !== group) {
        if (group !== undefined) lines.push('')
        group = result.group
        lines.push(paint('bold', group))
      }
      lines.push(`  ${paint(color, mark.padEnd(4))}  ${id.padEnd(widestId)}  ${title}`)
      for (const [name, text] of details(result))
        lines.push(paint('gray', `        ${name.padEnd(8)} ${text}`))
      return lines.join('\n')
    },
    /** The line at the end. */
    summary(results: readonly CaseResult[]): string {
      const count = (verdict: Verdict) => results.filter((each) => each.verdict === verdict).length
      const parts = [
        `${count('pass')} passed`,
        paint(count('fail') > 0 ? 'red' : 'gray', `${count('fail')} failed`),
        `${count('warn')} warned`,
        `${count('skip')} skipped`,
      ]
      return `\n${parts.join(', ')}`
    },
  }
}

const widestId = 25

const looks = {
  pass: { mark: 'pass', color: 'green' },
  warn: { mark: 'warn', color: 'yellow' },
  fail: { mark: 'FAIL', color: 'red' },
  skip: { mark: 'skip', color: 'gray' },
} as const

function details(result: CaseResult): (readonly [string, string])[] {
  const { verdict, rule, ruleText, sent, received, why, advice } = result
  if (verdict === 'pass') return why === undefined ? [] : [['note', why]]
  if (verdict === 'skip') return [['because', why ?? received]]
  return [
    ['rule', `${rule}: ${ruleText}`],
    ['sent', sent],
    ['received', why === undefined ? received : `${received} - ${why}`],
    ['to do', advice ?? ''],
  ]
}
