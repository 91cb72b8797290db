import { shortId } from './short-id.js'

/** Numbers of ANSI escapes (ECMA-48, SGR). `styleText` of node:util checks only process.stdout. */
const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36, gray: 90 }

type Style = keyof typeof styles
type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

export interface Row {
  readonly what: string
  /** Absent if the line is not the response to a delivery. */
  readonly status?: number | undefined
  readonly outcome: string
  readonly eventId: string | undefined
  readonly why: string
  /** The expected result, if another one came. */
  readonly expected?: string | undefined
  /** Whether this line shows an action and not a result. */
  readonly isCause?: boolean
}

const looks: Record<string, { mark: string; style: Style }> = {
  processed: { mark: '✓', style: 'green' },
  accepted: { mark: '✓', style: 'green' },
  duplicate: { mark: '=', style: 'cyan' },
  ignored: { mark: '·', style: 'gray' },
  rejected: { mark: '×', style: 'red' },
}
const causeLook = { mark: '›', style: 'bold' } as const
const otherLook = { mark: '!', style: 'yellow' } as const

/** Prints aligned columns as wide as the terminal. Colored only on a terminal. */
export function screen(output: Output, env: { readonly [name: string]: string | undefined } = process.env) {
  const isColored = Boolean(output.isTTY) && !env.NO_COLOR
  const paint = (style: Style, text: string) =>
    isColored ? `\u001b[${styles[style]}m${text}\u001b[0m` : text
  const line = (text = '') => output.write(`${text}\n`)
  const width = () => output.columns ?? 100
  const isWide = () => width() >= 100

  return {
    title: (text: string) => line(`\n  ${paint('bold', text)}\n`),
    text: (text: string) => line(wrap(text, width() - 4, '  ')),
    blank: () => line(),
    /** Prints lines to copy. They are not wrapped, because the copy would contain the line break. */
    verbatim: (text: string) => line(`\n${paint('bold', text)}\n`),
    field(name: string, text: string) {
      const indent = ' '.repeat(13)
      const lines = text.split('\n').map((each) => wrap(each, width() - 15, indent))
      line(`  ${paint('dim', name.padEnd(11))}${lines.join('\n').trimStart()}`)
    },
    heading() {
      const columns = isWide()
        ? `${'time'.padEnd(10)}${'what happens'.padEnd(25)}${'id'.padEnd(13)}${'answer'.padEnd(16)}because`
        : `${'what happens'.padEnd(25)}${'answer'.padEnd(16)}because`
      line(paint('dim', `    ${columns}`))
    },
    row({ what, status, outcome, eventId, why, expected, isCause }: Row) {
      const { mark, style } = isCause ? causeLook : (looks[outcome] ?? otherLook)
      const answer = paint(style, (status === undefined ? outcome : `${status} ${outcome}`).padEnd(16))
      const columns = isWide()
        ? `${paint('dim', clock().padEnd(10))}${isCause ? paint('bold', what.padEnd(25)) : what.padEnd(25)}${paint('dim', shortId(eventId ?? '').padEnd(13))}${answer}`
        : `${what.padEnd(25)}${answer}`
      const start = isWide() ? 68 : 45
      line(`  ${paint(style, mark)} ${columns}${wrap(why, width() - start, ' '.repeat(start)).trimStart()}`)
      if (expected) {
        line(paint('red', `    expected ${expected}`))
      }
    },
    good: (text: string) => line(`  ${paint('green', '✓')} ${text}`),
    bad: (text: string) => line(`  ${paint('red', '×')} ${text}`),
  }
}

export type Screen = ReturnType<typeof screen>

/** Formats the local time as hh:mm:ss. */
export const clock = (time = new Date()) => time.toTimeString().slice(0, 8)

function wrap(text: string, width: number, indent: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1] as string
    if (last !== '' && last.length + word.length >= width) {
      lines.push(word)
    } else {
      lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
    }
  }
  return lines.map((each) => indent + each).join('\n')
}
