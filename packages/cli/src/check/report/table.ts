import { plural } from '../../plural.js'
import type { Printer } from '../../printer.js'
import { wrap } from '../../wrap.js'
import type { CaseResult, Verdict } from '../case.js'

const indent = ' '.repeat(8)
const widestName = 'received'.length
const widestId = 25

/** Lines for a person: one for each case, and what to do below those that do not pass. */
export function tableReporter({ style, width }: Pick<Printer, 'style' | 'width'>) {
  const textWidth = Math.max(40, Math.min(width, 110) - indent.length - widestName - 2)
  let group: string | undefined

  function detail(name: string, text: string): string[] {
    const [first = '', ...rest] = wrap(text, textWidth)
    const hanging = ' '.repeat(indent.length + widestName + 2)
    return [`${indent}${name.padEnd(widestName)}  ${first}`, ...rest.map((line) => hanging + line)]
  }

  return {
    /** The lines for one result. */
    result(result: CaseResult): string[] {
      if (result.followsFrom !== undefined) {
        return []
      }
      const { id, title, verdict } = result
      const { mark, color } = looks[verdict]
      const lines: string[] = []
      if (result.group !== group) {
        if (group !== undefined) {
          lines.push('')
        }
        group = result.group
        lines.push(style('bold', group))
      }
      lines.push(`  ${style(color, mark)}  ${id.padEnd(widestId)}  ${title}`)
      for (const [name, text] of details(result)) {
        for (const line of detail(name, text)) {
          lines.push(style('dim', line))
        }
      }
      return lines
    },
    /** The lines at the end. */
    summary(results: readonly CaseResult[]): string[] {
      const of = (verdict: Verdict) => results.filter((each) => each.verdict === verdict)
      const [passed, failed, warned, skipped] = [of('pass'), of('fail'), of('warn'), of('skip')]
      const counts = [
        `${passed.length} passed`,
        style(failed.length > 0 ? 'red' : 'dim', `${failed.length} failed`),
        style(warned.length > 0 ? 'yellow' : 'dim', `${warned.length} warned`),
        `${skipped.length} skipped`,
      ]
      const line = `${plural(results.length, 'case')}: ${counts.join(', ')}`
      const following = results.filter(({ followsFrom }) => followsFrom !== undefined)
      return [
        '',
        line,
        ...(failed.length > 0 ? [`Failed: ${idsOf(failed)}`] : []),
        // One line, because a fault of each would hide the one cause.
        ...(following.length > 0
          ? wrap(`${skippedBecause(following)}: ${idsOf(following)}`, textWidth + indent.length + widestName)
          : []),
      ]
    },
  }
}

const idsOf = (results: readonly CaseResult[]) => results.map(({ id }) => id).join(', ')

const skippedBecause = (following: readonly CaseResult[]) =>
  `Skipped, because no valid delivery is acknowledged (${plural(following.length, 'case')})`

const looks = {
  pass: { mark: 'pass', color: 'green' },
  warn: { mark: 'warn', color: 'yellow' },
  fail: { mark: 'FAIL', color: 'red' },
  skip: { mark: 'skip', color: 'dim' },
} as const

function details(result: CaseResult): (readonly [string, string])[] {
  const { verdict, rule, ruleText, sent, received, why, advice } = result
  if (verdict === 'pass') {
    return why === undefined ? [] : [['note', why]]
  }
  if (verdict === 'skip') {
    return [['because', why ?? received]]
  }
  return [
    ['rule', `${rule}: ${ruleText}`],
    ['sent', sent],
    ['received', received],
    ['why', why ?? ''],
    ['to do', advice ?? ''],
  ]
}
