/**
 * Measures a cold start: the time and memory to import each subpath in a fresh process, and the time to the first
 * answered delivery. The optional argument is the number of processes.
 *
 *     npm run bench -- start [processes]
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bodyOf, headerOf, secret } from './harness/bodies.js'
import { quantile, shuffled } from './harness/compare.js'
import { table, title } from './harness/table.js'

/** Number of processes of each kind. */
const processes = Number(process.argv[2] ?? 21)

/** What a program reports when it ends, in milliseconds and bytes. */
interface Spent {
  /** Measured from the start of the process. */
  readonly milliseconds: number
  /** Processor time of the whole process. Varies less than wall time on a busy machine. */
  readonly cpu: number
  readonly rss: number
  readonly heap: number
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const run = promisify(execFile)

/** Runs a program in a fresh process, without the loader of this one. */
async function spend<S extends Spent>(program: string, args: readonly string[]): Promise<S> {
  const { stdout } = await run(process.execPath, ['--expose-gc', here(`start/${program}.mjs`), ...args], {
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  return JSON.parse(stdout)
}

/** Returns the medians for each list of arguments. The processes run in turns, in random order. */
async function medians<S extends Spent>(program: string, kinds: readonly string[][]): Promise<S[]> {
  const samples = kinds.map((): S[] => [])
  // The first turn fills the caches of the file system.
  for (let turn = -1; turn < processes; turn++) {
    for (const kind of shuffled(kinds.length)) {
      const sample = await spend<S>(program, kinds[kind] as string[])
      if (turn >= 0) {
        samples[kind]?.push(sample)
      }
    }
  }
  return samples.map((own) => {
    const median = (name: keyof S) =>
      quantile(
        own.map((each) => each[name] as number),
        0.5,
      )
    return Object.fromEntries(Object.keys(own[0] as S).map((name) => [name, median(name as keyof S)])) as {
      [name in keyof S]: number
    } as S
  })
}

const { exports } = JSON.parse(readFileSync(here('../../package.json'), 'utf8')) as { exports: object }
const ours = Object.keys(exports)
  .filter((subpath) => subpath !== './package.json')
  .map((subpath) => posix.join('webhook-inbox', subpath))
const others = ['zod', 'zod/mini', 'raw-body', 'stripe', '@hookflo/tern', 'svix', '@octokit/webhooks-methods']

const ms = (value: number) => `${value.toFixed(1)} ms`
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** Prints what each import costs above a program that imports nothing. */
async function imports(): Promise<void> {
  const kinds = [[], ...[...ours, ...others].map((specifier) => [specifier])]
  const [empty, ...rest] = await medians<Spent & { imported: number }>('import', kinds)
  if (!empty) {
    return
  }
  const row = (name: string, it: typeof empty, base: Spent) => [
    name,
    ms(it.imported),
    ms(it.milliseconds - base.milliseconds),
    ms(it.cpu - base.cpu),
    mb(it.rss - base.rss),
    mb(it.heap - base.heap),
  ]
  const nothing = { milliseconds: 0, cpu: 0, rss: 0, heap: 0 }
  table(
    ['import, over an empty program', 'import()', 'process', 'processor', 'RSS', 'heap'],
    [
      ...rest.map((it, i) => row([...ours, ...others][i] as string, it, empty)),
      row('the empty program itself', empty, nothing),
    ],
  )
}

/** Prints the time until the first delivery is answered. */
async function firstDelivery(): Promise<void> {
  const body = bodyOf(1000)
  const delivery = JSON.stringify({ body: body.toString(), header: headerOf(body), secret })
  const names = [
    'nothing',
    'webhook-inbox',
    'webhook-inbox, verifySignature + JSON.parse',
    'stripe',
    '@hookflo/tern',
  ]
  const results = await medians<Spent & { answered: number }>(
    'first-delivery',
    names.map((name) => [name, delivery]),
  )
  table(
    ['first delivery of 1 kB', 'from process start', 'from import', 'processor', 'RSS', 'heap'],
    results.map((it, i) => [
      names[i] as string,
      ms(it.milliseconds),
      ms(it.answered),
      ms(it.cpu),
      mb(it.rss),
      mb(it.heap),
    ]),
  )
}

title('Cold start')
console.log(`Medians of ${processes} processes each.\n`)
await imports()
await firstDelivery()
