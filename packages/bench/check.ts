/**
 * What `webhook-inbox check` says about receivers of several libraries. Runs the built command line against each over
 * real sockets and writes the tables and the output of docs/check.md and docs/send.md.
 *
 *     npm run bench -- check
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fill } from './check/fill.js'
import { candidates } from './check/receivers.js'
import { runCommand } from './check/run-command.js'
import { serve } from './check/serve.js'

interface Result {
  readonly id: string
  readonly group: string
  readonly title: string
  readonly verdict: 'pass' | 'warn' | 'fail' | 'skip'
}

// Express shows stack traces otherwise.
Object.assign(process.env, { NODE_ENV: 'production' })

const docs = new URL('../../docs/', import.meta.url)
const shown = { pass: 'pass', warn: 'warn', fail: '**fail**', skip: '-' }

const columns: { readonly name: string; readonly results: readonly Result[] }[] = []
for (const candidate of candidates) {
  const { url, probe, close } = await serve(candidate)
  const scheme = candidate.scheme ? ['--scheme', candidate.scheme] : []
  const printed = await runCommand(['check', url, '--probe', probe, '--json', ...scheme])
  const results = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result)
  columns.push({ name: candidate.name, results })
  console.log(candidate.name, counts(results))
  close()
}
fill(new URL('check.md', docs), 'libraries', comparison())
fill(new URL('check.md', docs), 'cases', listing())
await writeOutputs()

function counts(results: readonly Result[]): string {
  const count = (verdict: Result['verdict']) => results.filter((each) => each.verdict === verdict).length
  return `${count('pass')} pass, ${count('warn')} warn, ${count('fail')} fail`
}

function comparison(): string {
  const [first] = columns
  const rows = (first?.results ?? []).map(({ id }) => {
    const verdicts = columns.map(({ results }) => results.find((each) => each.id === id)?.verdict ?? 'skip')
    return { id, verdicts }
  })
  const differing = rows.filter(({ verdicts }) => verdicts.some((each) => each === 'fail' || each === 'warn'))
  return [
    `| case | ${columns.map(({ name }) => `${name} ${versionOf(name)}`).join(' | ')} |`,
    `|---|${columns.map(() => '---').join('|')}|`,
    ...differing.map(
      ({ id, verdicts }) => `| \`${id}\` | ${verdicts.map((each) => shown[each]).join(' | ')} |`,
    ),
    `| all cases | ${columns.map(({ results }) => counts(results)).join(' | ')} |`,
  ].join('\n')
}

function listing(): string {
  const { results } = columns[0] as (typeof columns)[number]
  return [
    '| group | case | what a correct receiver does |',
    '|---|---|---|',
    ...results.map(({ group, id, title }) => `| ${group} | \`${id}\` | ${title} |`),
  ].join('\n')
}

/** Some packages do not export their package.json, so it is looked for above their entry. */
function versionOf(name: string): string {
  let folder = dirname(createRequire(import.meta.url).resolve(name))
  for (;;) {
    try {
      const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      if (found.name === name) {
        return found.version
      }
    } catch {}
    folder = dirname(folder)
  }
}

async function writeOutputs(): Promise<void> {
  const ours = await serve(candidates.find(({ name }) => name === 'webhook-inbox') as never)
  const stripe = await serve(candidates.find(({ name }) => name === 'stripe') as never)
  const onPort3000 = (text: string) => text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:3000')
  const output = async (...args: string[]) => {
    const command = onPort3000(`webhook-inbox ${args.join(' ')}`)
    return `\`\`\`console\n$ ${command}\n${onPort3000(await runCommand(args)).trimEnd()}\n\`\`\``
  }
  fill(new URL('check.md', docs), 'output', await output('check', stripe.url, '--only', 'rejects'))
  fill(
    new URL('send.md', docs),
    'output',
    [
      await output('send', 'transfer.settled', '--to', ours.url),
      await output('send', 'transfer.settled', '--to', ours.url, '--times', '3', '--set', 'id=evt_9'),
      await output('send', 'transfer.settled', '--to', ours.url, '--tamper'),
      await output('send', 'transfer.settled', '--to', ours.url, '--stale'),
    ].join('\n\n'),
  )
  ours.close()
  stripe.close()
}
