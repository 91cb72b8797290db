import { resolve } from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import { startTests } from '@vitest/runner'
import { TestRunner } from 'vitest'

/** Runs test/mutation/live/idle.ts, then the tests of each mutant that it is sent, until it is told to end. */
export default class LiveTestRunner extends TestRunner {
  async onAfterRunFiles() {
    super.onAfterRunFiles()
    const namespace = this.injectValue('namespace')
    globalThis[namespace] ??= {}
    const line = new BroadcastChannel(this.injectValue('channel'))
    const ended = new Promise((end) => {
      line.onmessage = async ({ data }) => {
        if (data.kind === 'end') {
          end()
          return
        }
        // It stops only if the mutant never lets go of the thread. What waits forever fails by its own time limit.
        const beat = setInterval(() => line.postMessage({ kind: 'beat' }), 500)
        const answer = await judge(this, globalThis[namespace], data).catch((error) => ({
          outcome: 'broken',
          message: String(error),
        }))
        clearInterval(beat)
        line.postMessage({ kind: 'answer', ...answer })
      }
    })
    // So that a new worker knows from its first mutant which tests are slow.
    for (const [test, time] of Object.entries(this.injectValue('times'))) {
      const [file, ...name] = test.split('#')
      times.set(`${resolve(file)}#${name.join('#')}`, time)
    }
    line.postMessage({ kind: 'ready' })
    await ended
    line.close()
  }
}

/** The longest time that each test took when it passed, in milliseconds, by path and name. */
const times = new Map()
const timeOf = (path, name) => times.get(`${path}#${name}`) ?? 0
const timeOfAll = ({ path, names }) =>
  [...names].reduce((sum, name) => sum + timeOf(path, name), hookTimes.get(path) ?? 0)

/**
 * How long each file took beside its tests, at least, in milliseconds. Some start a server before their first test. The first run
 * of a file also loads modules.
 */
const hookTimes = new Map()

/** A test that takes longer runs after all tests of all files that do not, because it often waits. In milliseconds. */
const slow = 150

async function judge(outer, stryker, { id, hitLimit, tests, cwd }) {
  const groups = new Map()
  for (const test of tests) {
    const [file, ...rest] = test.split('#')
    const path = resolve(cwd, file)
    const name = rest.join('#')
    const key = `${path} ${timeOf(path, name) > slow}`
    const group = groups.get(key) ?? { path, names: new Set() }
    group.names.add(name)
    groups.set(key, group)
  }
  const fastFirst = [...groups.values()].sort((a, b) => timeOfAll(a) - timeOfAll(b))
  let ran = 0
  for (const { path, names } of fastFirst) {
    const { failed, count } = await run(outer, path, names, () => {
      Object.assign(stryker, { activeMutant: id, hitCount: 0, hitLimit })
    })
    stryker.activeMutant = undefined
    stryker.hitCount = undefined
    ran += count
    if (failed) {
      const again = await run(outer, path, new Set([failed.name]), () => {})
      return again.failed || again.count === 0
        ? { outcome: 'broken', message: `${failed.name} fails without the mutant` }
        : {
            outcome: 'killed',
            killedBy: tests.find((test) => test.endsWith(`#${failed.name}`)),
            message: failed.message,
            ran,
          }
    }
  }
  return { outcome: 'survived', ran }
}

/** Runs the named tests of a file until one fails. The mutant is switched on when all modules have been imported. */
async function run(outer, path, names, switchOn) {
  let failed
  let count = 0
  let inTests = 0
  const startedAt = performance.now()
  // A test that hangs because of its mutant fails early. If the machine is only slow, the same test fails without the mutant too.
  const patience = Math.max(5000, ...[...names].map((name) => 2 * timeOf(path, name)))
  const inner = new TestRunner({ ...outer.config, testTimeout: patience, hookTimeout: patience })
  inner.moduleRunner = outer.moduleRunner
  inner._otel = outer._otel
  inner.importFile = (file, source) => {
    const module = inner.workerState.evaluatedModules.getModuleById(file)
    if (module) {
      inner.workerState.evaluatedModules.invalidateModule(module)
    }
    return TestRunner.prototype.importFile.call(inner, file, source)
  }
  inner.onCollected = ([file]) => {
    keepOnly(file, names)
    if (file.result?.state === 'fail') {
      failed = { name: '', message: file.result.errors?.[0]?.message }
    }
    switchOn()
  }
  inner.onBeforeRunTask = async (test) => {
    if (failed) {
      test.mode = 'skip'
    }
    return await TestRunner.prototype.onBeforeRunTask.call(inner, test)
  }
  inner.onAfterRunTask = (test) => {
    TestRunner.prototype.onAfterRunTask.call(inner, test)
    if (test.result?.state === 'pass' || test.result?.state === 'fail') {
      count++
      inTests += test.result.duration ?? 0
    }
    if (test.result?.state === 'pass') {
      const key = `${path}#${nameOf(test)}`
      times.set(key, Math.max(times.get(key) ?? 0, test.result.duration ?? 0))
    }
    if (test.result?.state === 'fail') {
      failed ??= { name: nameOf(test), message: test.result.errors?.[0]?.message ?? 'failed' }
    }
  }
  inner.workerState.filepath = path
  const [file] = await startTests([{ filepath: path }], inner)
  failed ??= suiteFailure(file)
  hookTimes.set(path, Math.min(hookTimes.get(path) ?? Infinity, performance.now() - startedAt - inTests))
  return { failed, count }
}

/** A failed hook of a suite fails its first test. */
function suiteFailure(suite) {
  for (const task of suite.tasks) {
    if (task.type === 'suite' && task.result?.state === 'fail') {
      const inside = suiteFailure(task)
      if (inside) {
        return inside
      }
    }
  }
  const first = suite.result?.state === 'fail' && suite.result.errors?.length ? firstTest(suite) : undefined
  return first && { name: nameOf(first), message: suite.result.errors[0].message }
}

function firstTest(suite) {
  for (const task of suite.tasks) {
    const test = task.type === 'suite' ? firstTest(task) : task
    if ((test && test.mode !== 'skip') || test?.result?.state === 'skip') {
      return test
    }
  }
  return undefined
}

function keepOnly(suite, names) {
  for (const task of suite.tasks) {
    if (task.type === 'suite') {
      keepOnly(task, names)
    } else if (!names.has(nameOf(task)) && task.mode !== 'skip') {
      task.mode = 'skip'
    }
  }
  if (suite.tasks.every(({ mode }) => mode === 'skip' || mode === 'todo')) {
    suite.mode = 'skip'
  }
}

function nameOf({ name, suite }) {
  return (suite ? `${nameOf(suite)} ${name}` : name).trim()
}
