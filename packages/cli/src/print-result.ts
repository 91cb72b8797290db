import type { Call } from './command.js'

/** Prints the result of a command: a line in a terminal, a JSON object in a pipe or with `--json`. */
export function printResult(
  record: object,
  line: string,
  { print, json }: Pick<Call, 'print' | 'json'>,
): void {
  if (json || !print.isTerminal) {
    print.json(record)
  } else {
    print.line(line)
  }
}
