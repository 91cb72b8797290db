import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CaseResult } from '../../src/check/case.js'
import { readSample } from '../../src/check/options.js'
import { junitReport } from '../../src/check/report/junit.js'
import { tableReporter } from '../../src/check/report/table.js'
import { ensureWritable, writeReport } from '../../src/check/report/write-file.js'

const base: CaseResult = {
  id: 'unsigned',
  group: 'rejects',
  title: 'is rejected',
  rule: 'R49',
  ruleText: 'Reject it.',
  sent: 'an event',
  verdict: 'pass',
  received: '401 in 1 ms',
  seconds: 0.1234,
}
const results: readonly CaseResult[] = [
  { ...base, id: 'valid', group: 'accepts', title: 'is taken', seconds: 1 },
  { ...base, id: 'known', group: 'accepts', why: 'it cannot be seen' },
  base,
  { ...base, id: 'stale', verdict: 'fail', why: 'it was <taken>', advice: 'Reject "it".' },
  { ...base, id: 'future', verdict: 'fail' },
  { ...base, id: 'limits', verdict: 'warn', why: 'no proof', advice: 'Raise it.' },
  { ...base, id: 'slow', verdict: 'skip', why: 'it takes time' },
  { ...base, id: 'none', verdict: 'skip', received: 'nothing was sent' },
]
const following: readonly CaseResult[] = ['one', 'two'].map((id) => ({
  ...base,
  id,
  verdict: 'skip',
  followsFrom: 'valid-delivery',
}))

describe('the JUnit report', () => {
  it('has a suite for each group, and a text for all but a pass', () => {
    const url = new URL('http://127.0.0.1:3000/a?key=hidden&b="1"')
    expect(junitReport(results, url).split('\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="webhook-inbox check http://127.0.0.1:3000/a" tests="8" failures="2" errors="0" skipped="2" time="1.864">',
      '  <testsuite name="accepts" tests="2" failures="0" errors="0" skipped="0" time="1.123">',
      '    <testcase classname="accepts" name="valid: is taken" time="1.000"/>',
      '    <testcase classname="accepts" name="known: is rejected" time="0.123"/>',
      '  </testsuite>',
      '  <testsuite name="rejects" tests="6" failures="2" errors="0" skipped="2" time="0.740">',
      '    <testcase classname="rejects" name="unsigned: is rejected" time="0.123"/>',
      '    <testcase classname="rejects" name="stale: is rejected" time="0.123"><failure message="it was &lt;taken&gt;" type="stale">rule: R49: Reject it.',
      'sent: an event',
      'received: 401 in 1 ms',
      'to do: Reject &quot;it&quot;.</failure></testcase>',
      '    <testcase classname="rejects" name="future: is rejected" time="0.123"><failure message="401 in 1 ms" type="future">rule: R49: Reject it.',
      'sent: an event',
      'received: 401 in 1 ms',
      'to do: </failure></testcase>',
      '    <testcase classname="rejects" name="limits: is rejected" time="0.123"><system-out>warning: no proof',
      'rule: R49: Reject it.',
      'sent: an event',
      'received: 401 in 1 ms',
      'to do: Raise it.</system-out></testcase>',
      '    <testcase classname="rejects" name="slow: is rejected" time="0.123"><skipped message="it takes time"/></testcase>',
      '    <testcase classname="rejects" name="none: is rejected" time="0.123"><skipped message="nothing was sent"/></testcase>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ])
  })

  it('escapes what XML does not take', () => {
    const odd = 'a&b<c>d"e\'f\u0007g\ud800h\uffffi\u{1f600}j\tk\u000bl'
    const report = junitReport([{ ...base, title: odd }], new URL('http://x/'))
    expect(report).toContain(
      'name="unsigned: a&amp;b&lt;c&gt;d&quot;e&apos;f\\u0007g\ufffdh\\uffffi\u{1f600}j\tk\\u000bl"',
    )
    expect(junitReport([], new URL('http://x/')).split('\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="webhook-inbox check http://x/" tests="0" failures="0" errors="0" skipped="0" time="0.000">',
      '</testsuites>',
      '',
    ])
  })
})

describe('the table', () => {
  const reporter = (width: number, isColored = false) =>
    tableReporter({ width, style: (format, text) => (isColored ? `<${format}>${text}</>` : text) })

  it('has a line for each result, and what to do below those that do not pass', () => {
    const report = reporter(80)
    expect(results.flatMap((result) => report.result(result))).toEqual([
      'accepts',
      `  pass  valid                      is taken`,
      `  pass  known                      is rejected`,
      '        note      it cannot be seen',
      '',
      'rejects',
      '  pass  unsigned                   is rejected',
      '  FAIL  stale                      is rejected',
      '        rule      R49: Reject it.',
      '        sent      an event',
      '        received  401 in 1 ms',
      '        why       it was <taken>',
      '        to do     Reject "it".',
      '  FAIL  future                     is rejected',
      '        rule      R49: Reject it.',
      '        sent      an event',
      '        received  401 in 1 ms',
      '        why       ',
      '        to do     ',
      '  warn  limits                     is rejected',
      '        rule      R49: Reject it.',
      '        sent      an event',
      '        received  401 in 1 ms',
      '        why       no proof',
      '        to do     Raise it.',
      '  skip  slow                       is rejected',
      '        because   it takes time',
      '  skip  none                       is rejected',
      '        because   nothing was sent',
    ])
    expect(following.flatMap((result) => report.result(result))).toEqual([])
  })

  it('colors each verdict', () => {
    const report = reporter(80, true)
    const marks = results.slice(2, 7).flatMap((result) => report.result(result))
    expect(marks.filter((line) => /^ {2}</.test(line)).map((line) => line.split('  ')[1])).toEqual([
      '<green>pass</>',
      '<red>FAIL</>',
      '<red>FAIL</>',
      '<yellow>warn</>',
      '<dim>skip</>',
    ])
    expect(marks[0]).toBe('<bold>rejects</>')
    expect(marks.filter((line) => line.startsWith('<dim>        ')).length).toBe(16)
    expect(report.summary(results)[1]).toBe(
      '8 cases: 3 passed, <red>2 failed</>, <yellow>1 warned</>, 2 skipped',
    )
    expect(report.summary([base])[1]).toBe('1 case: 1 passed, <dim>0 failed</>, <dim>0 warned</>, 0 skipped')
  })

  it.each([
    [30, 40],
    [58, 40],
    [59, 41],
    [110, 92],
    [200, 92],
  ])('of %i columns has texts of %i columns', (width, room) => {
    const [first = '', second = ''] = [`${'x'.repeat(room - 2)} y`, 'z']
    const lines = reporter(width).result({ ...base, why: `${first} ${second}` })
    expect(lines.slice(2)).toEqual([`        note      ${first}`, `                  ${second}`])
  })

  it('ends with a summary, and names what failed and what follows', () => {
    const report = reporter(80)
    expect(report.summary(results)).toEqual([
      '',
      '8 cases: 3 passed, 2 failed, 1 warned, 2 skipped',
      'Failed: stale, future',
    ])
    expect(report.summary([base])).toEqual(['', '1 case: 1 passed, 0 failed, 0 warned, 0 skipped'])
    expect(report.summary([base, ...following])).toEqual([
      '',
      '3 cases: 1 passed, 0 failed, 0 warned, 2 skipped',
      'Skipped, because no valid delivery is acknowledged (2 cases): one, two',
    ])
    expect(reporter(40).summary(following.slice(0, 1)).slice(2)).toEqual([
      'Skipped, because no valid delivery is acknowledged (1',
      'case): one',
    ])
  })
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'report-'))
})
afterAll(() => rm(folder, { recursive: true }))
const refusal = (message: unknown) => expect.objectContaining({ name: 'UsageError', message })

describe('the file of a report', () => {
  it('is made before the run, and written after it', async () => {
    const path = join(folder, 'check.xml')
    for (const given of [path, pathToFileURL(path).href]) {
      await writeReport(given, 'before')
      await ensureWritable(given)
      expect(await readFile(path, 'utf8')).toBe('before')
      await writeReport(given, 'now')
      expect(await readFile(path, 'utf8')).toBe('now')
    }
    await ensureWritable(join(folder, 'new.xml'))
    expect(await readFile(join(folder, 'new.xml'), 'utf8')).toBe('')
  })

  it('that cannot be written is an error of the user', async () => {
    const path = join(folder, 'none', 'check.xml')
    await expect(ensureWritable(path)).rejects.toEqual(refusal(`cannot write ${path}: ENOENT`))
    await expect(writeReport(path, '')).rejects.toEqual(refusal(`cannot write ${path}: ENOENT`))
    await expect(ensureWritable(folder)).rejects.toEqual(refusal(`cannot write ${folder}: EISDIR`))
  })
})

describe('the event of --event', () => {
  const sample = async (text: string) => {
    await writeFile(join(folder, 'event.json'), text)
    return readSample(join(folder, 'event.json'))
  }

  it('gives its type and its data', async () => {
    const text = '{"id":"evt_1","type":"a.b","createdAt":"2026-01-01T00:00:00Z","data":{"x":1}}'
    expect(await sample(text)).toEqual({ type: 'a.b', data: { x: 1 } })
  })

  it('is an event', async () => {
    await expect(sample('{}')).rejects.toEqual(
      refusal(expect.stringMatching(/event\.json is not an event: invalid_envelope: /)),
    )
    await expect(readSample('none')).rejects.toEqual(refusal('cannot read none: there is no such file'))
  })
})
