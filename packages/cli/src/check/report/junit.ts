import type { CaseResult } from '../case.js'

/** The results as a JUnit document, for CI. JUnit has no warnings, so a warning is a pass with a text. */
export function junitReport(results: readonly CaseResult[], url: URL): string {
  const suites = [...new Set(results.map(({ group }) => group))].map((group) =>
    suite(
      group,
      results.filter((result) => result.group === group),
    ),
  )
  const attributes = totals(results)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escapeXml(`webhook-inbox check ${url.origin}${url.pathname}`)}" ${attributes}>`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

function suite(group: string, results: readonly CaseResult[]): string {
  const head = `  <testsuite name="${escapeXml(group)}" ${totals(results)}>`
  return [head, ...results.map(testcase), '  </testsuite>'].join('\n')
}

function totals(results: readonly CaseResult[]): string {
  const failures = results.filter(({ verdict }) => verdict === 'fail').length
  const skipped = results.filter(({ verdict }) => verdict === 'skip').length
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0)
  return `tests="${results.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${seconds.toFixed(3)}"`
}

function testcase(result: CaseResult): string {
  const { id, group, title, verdict, seconds, received, why = '' } = result
  const name = escapeXml(`${id}: ${title}`)
  const open = `    <testcase classname="${escapeXml(group)}" name="${name}" time="${seconds.toFixed(3)}"`
  const message = escapeXml(why || received)
  switch (verdict) {
    case 'pass':
      return `${open}/>`
    case 'skip':
      return `${open}><skipped message="${message}"/></testcase>`
    case 'fail':
      return `${open}><failure message="${message}" type="${id}">${escapeXml(details(result))}</failure></testcase>`
    case 'warn':
      return `${open}><system-out>${escapeXml(`warning: ${why}\n${details(result)}`)}</system-out></testcase>`
  }
}

const details = ({ rule, ruleText, sent, received, advice = '' }: CaseResult) =>
  [`rule: ${rule}: ${ruleText}`, `sent: ${sent}`, `received: ${received}`, `to do: ${advice}`].join('\n')

/** XML 1.0 has no way to write most control characters, so they are shown as `\u0007`. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, visible)
    .replace(/[&<>"']/g, (character) => entities[character] as string)
}

const visible = (character: string) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
