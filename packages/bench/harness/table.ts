import { availableParallelism, cpus } from 'node:os'
import type { Measured } from './compare.js'
import type { Waits } from './traffic.js'

/** Describes the machine and the version of Node that the figures belong to. */
export function machine(): string {
  return `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, ${process.platform} ${process.arch}, Node ${process.versions.node}`
}

/** Prints a heading and the machine. */
export function title(text: string): void {
  console.log(`\n# ${text}\n\n${machine()}\n`)
}

/** Prints rows as a Markdown table, with numbers aligned to the right. */
export function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const cells = [columns, ...rows].map((row) => row.map(String))
  const widths = columns.map((_, index) => Math.max(3, ...cells.map((row) => row[index]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number))).join(' | ')} |`
  const [head = [], ...body] = cells
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  console.log([line(head), line(rule), ...body.map(line)].join('\n'))
  console.log()
}

/** Prints the results of {@link compare}. The ratio is to the first row. */
export function timings(subject: string, measured: readonly Measured[]): void {
  table(
    [subject, 'median', 'spread', 'ratio'],
    measured.map(({ name, nanoseconds, spread, ratio }) => [
      name,
      duration(nanoseconds),
      `±${Math.round(100 * spread)} %`,
      ratio.toFixed(2),
    ]),
  )
}

/** Prints the same with the processor time of this process. The rest is waiting for a server or a disk. */
export function timingsWithCpu(subject: string, measured: readonly Measured[]): void {
  table(
    [subject, 'median', 'spread', 'ratio', 'processor', 'ratio'],
    measured.map(({ name, nanoseconds, spread, ratio, cpu }) => [
      name,
      duration(nanoseconds),
      `±${Math.round(100 * spread)} %`,
      ratio.toFixed(2),
      duration(cpu.nanoseconds),
      cpu.ratio.toFixed(2),
    ]),
  )
}

/** Formats nanoseconds in a readable unit. */
export function duration(nanoseconds: number): string {
  if (nanoseconds < 1e3) {
    return `${nanoseconds.toFixed(0)} ns`
  }
  if (nanoseconds < 1e6) {
    return `${(nanoseconds / 1e3).toFixed(2)} µs`
  }
  return `${(nanoseconds / 1e6).toFixed(2)} ms`
}

/** Prints the results of {@link beside}, one named row each. */
export function waits(
  subject: string,
  [names, measured]: readonly [readonly string[], readonly Waits[]],
): void {
  table(
    [subject, 'median', 'p99', 'longest', 'ratio of p99'],
    measured.map(({ median, p99, longest, p99Ratio }, index) => [
      names[index] as string,
      duration(median),
      duration(p99),
      duration(longest),
      p99Ratio.toFixed(2),
    ]),
  )
}
