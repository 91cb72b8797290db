import { describe, expect, it } from 'vitest'
import { screen } from '../../demo/screen.js'
import { codes } from '../../src/index.js'

function capture(columns: number, isTTY: boolean, env: { NO_COLOR?: string } = {}) {
  const lines: string[] = []
  const output = {
    columns,
    isTTY,
    write: (text: string) => lines.push(...text.replace(/\n$/, '').split('\n')) > 0,
  }
  return { lines, show: screen(output, env) }
}

const row = {
  what: 'signed 10 minutes ago',
  status: 401,
  outcome: 'rejected',
  eventId: 'evt_abcdef',
  why: 'too old: 5 minutes are tolerated',
}

describe('the screen of the demo', () => {
  it.each([80, 100, 120])('fits %s columns, its columns in line', (columns) => {
    const { lines, show } = capture(columns, false)
    show.title('title')
    show.field('guarantee', 'word '.repeat(80))
    show.text('word '.repeat(80))
    show.heading()
    for (const { fact } of Object.values(codes)) {
      show.row({ ...row, why: fact })
    }
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(columns)
    }
    const start = lines.find((line) => line.includes('because'))?.indexOf('because')
    const reasons = lines.slice(lines.findIndex((line) => line.includes('because')) + 1)
    for (const line of reasons) {
      expect(line.slice(0, start)).toMatch(/ $/)
    }
    for (const line of reasons) {
      expect(line.slice(start)).toMatch(/^\S/)
    }
  })

  it('shows time and event where there is room', () => {
    const [wide, narrow] = [capture(100, false), capture(99, false)]
    for (const { show } of [wide, narrow]) {
      show.row(row)
    }
    expect(wide.lines[0]).toMatch(/× \d\d:\d\d:\d\d .*evt_abcdef/)
    expect(narrow.lines[0]).not.toMatch(/evt_abcdef/)
  })

  it('shows no status where no delivery ended', () => {
    const { lines, show } = capture(100, false)
    show.row({ ...row, status: undefined, outcome: 'processed' })
    expect(lines[0]).toMatch(/evt_abcdef {3}processed {7}too old/)
  })

  it('is colored on a terminal, unless NO_COLOR is set', () => {
    const colors = (isTTY: boolean, env?: { NO_COLOR: string }) => {
      const { lines, show } = capture(120, isTTY, env)
      show.row(row)
      return lines.join('').includes('\u001b[')
    }
    expect(colors(true)).toBe(true)
    expect(colors(true, { NO_COLOR: '' })).toBe(true)
    expect(colors(true, { NO_COLOR: '1' })).toBe(false)
    expect(colors(false)).toBe(false)
  })
})
