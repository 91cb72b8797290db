import { styleText } from 'node:util'
import { printable, printableJson, printableLine } from './printable.js'
import { statusLine } from './status-line.js'
import type { Output, World } from './world.js'

export type Style = Parameters<typeof styleText>[0]

/** Prints for one command. Everything passes {@link Printer.hide}, so that no secret leaves by mistake. */
export interface Printer {
  /** A line of the result, on stdout. */
  line(text?: string): void
  /** One JSON document on one line of stdout. */
  json(value: unknown): void
  /** One line for the person, on stderr. Text from outside in it cannot add a line or a color. */
  note(text: string): void
  warn(text: string): void
  /** Names on stderr the work that takes longer than a second, until the next call. `undefined` clears it. */
  working(text: string | undefined): void
  /** Colors a text if stdout is a terminal that has colors. */
  style(format: Style, text: string): string
  /** Replaces a secret by `[secret]` in all that is printed from here on. */
  hide(secret: string): void
  /** Columns of stdout; 80 if it is not a terminal. */
  readonly width: number
  /** Whether a person reads stdout. */
  readonly isTerminal: boolean
}

export interface Appearance {
  readonly color: boolean
}

/** A shorter secret can be a part of ordinary words. Replacing it would make the output unreadable. */
const shortestHidden = 6

export function createPrinter({ stdout, stderr, env }: World, { color }: Appearance): Printer {
  const hidden = new Set<string>()
  const colorOf = (stream: Output) => color && (stream.isTTY ?? false) && (stream.hasColors?.(env) ?? false)
  const isColored = { stdout: colorOf(stdout), stderr: colorOf(stderr) }

  function safe(text: string): string {
    let result = text
    for (const secret of hidden) {
      result = result.replaceAll(secret, '[secret]')
    }
    return result
  }

  const paint = (format: Style, text: string, where: keyof typeof isColored) =>
    isColored[where] ? styleText(format, text, { validateStream: false }) : text

  const status = statusLine(stderr)
  const write = (stream: Output, text: string) => {
    status.clear()
    stream.write(`${printableLine(safe(text))}\n`)
  }

  return {
    line: (text = '') => write(stdout, text),
    json: (value) => write(stdout, printableJson(value)),
    note: (text) => write(stderr, printable(safe(text))),
    warn: (text) => write(stderr, `${paint('yellow', 'warning:', 'stderr')} ${printable(text)}`),
    working: (text) => status.show(text && printable(safe(text))),
    style: (format, text) => paint(format, text, 'stdout'),
    hide(secret) {
      if (secret.length < shortestHidden) {
        return
      }
      // JSON escapes a quote or a line break in a secret.
      for (const form of [secret, secret.trim(), JSON.stringify(secret).slice(1, -1)]) {
        hidden.add(form)
      }
    },
    width: stdout.isTTY && stdout.columns ? stdout.columns : 80,
    isTerminal: stdout.isTTY ?? false,
  }
}
