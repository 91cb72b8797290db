import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { exceptions } from '../test/mutation/exceptions.js'
import { folders } from '../test/mutation/folders.js'

/** `npm run test:mutation -- FOLDER ...` mutates folders one after the other, and demands this much of each, in percent. */
const goal = 95

interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status: string
  readonly location: { readonly start: { readonly line: number } }
}

interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in folders))
if (asked.length === 0 || unknown.length > 0) {
  console.error(`usage: npm run test:mutation -- FOLDER ...\nthe folders: ${Object.keys(folders).join(' ')}`)
  process.exit(2)
}

let isBelow = false
for (const folder of asked) {
  const env = { ...process.env, MUTATE: folder }
  // With tsx, because the configuration reads the folders.
  const program = ['--import', 'tsx', 'node_modules/@stryker-mutator/core/bin/stryker.js', 'run']
  const { status } = spawnSync(process.execPath, program, { stdio: 'inherit', env })
  if (status !== 0) {
    process.exit(status ?? 1)
  }
  judge(folder)
}
process.exit(isBelow ? 1 : 0)

/** Prints the survivors of a folder and its score. A mutant with a reason does not count. */
function judge(folder: string): void {
  const { files } = JSON.parse(readFileSync('reports/mutation.json', 'utf8')) as Report
  const used = new Set<(typeof exceptions)[number]>()
  const count = { killed: 0, timedOut: 0, excepted: 0 }
  const survivors: string[] = []
  for (const [file, { source, mutants }] of Object.entries(files)) {
    const lines = source.split('\n')
    for (const { mutatorName, replacement, status, location } of mutants) {
      if (status === 'Killed' || status === 'Timeout') {
        count[status === 'Killed' ? 'killed' : 'timedOut']++
        continue
      }
      if (status !== 'Survived' && status !== 'NoCoverage') {
        continue
      }
      const line = (lines[location.start.line - 1] ?? '').trim()
      const exception = exceptions.find(
        (each) =>
          each.file === file &&
          line.includes(each.code) &&
          each.mutators.includes(mutatorName) &&
          (each.replacement ?? replacement) === replacement,
      )
      if (exception) {
        used.add(exception)
        count.excepted++
      } else {
        survivors.push(`${file}:${location.start.line} ${mutatorName} (${status}): ${line} => ${replacement}`)
      }
    }
  }
  for (const survivor of survivors) {
    console.log(`survived: ${survivor}`)
  }
  // A sample leaves most mutants out.
  const unused = process.env.SAMPLE === undefined ? exceptions.filter((each) => !used.has(each)) : []
  for (const each of unused.filter(({ file }) => file in files)) {
    console.log(`no mutant survives any more: ${each.file}: ${each.code}`)
  }
  const detected = count.killed + count.timedOut
  const score = (100 * detected) / Math.max(1, detected + survivors.length)
  const survived = `${survivors.length} survived, ${count.excepted} more with a reason`
  console.log(
    `${folder}: ${score.toFixed(1)} % (${count.killed} killed, ${count.timedOut} timed out, ${survived})`,
  )
  isBelow ||= score < goal
}
