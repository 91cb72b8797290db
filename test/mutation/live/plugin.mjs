import { EventEmitter, once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core'
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin'
import { strykerPlugins as vitestPlugins } from '@stryker-mutator/vitest-runner'
import { createVitest } from 'vitest/node'

const vitestRunner = vitestPlugins.find(({ name }) => name === 'vitest').factory

/**
 * Stryker's Vitest runner starts a worker and imports all modules for every mutant. This one keeps a worker with its modules,
 * and runs test files again with another mutant switched on. Mutants of code that runs at import go to Stryker's own runner.
 *
 * A mutant can leave the worker in a bad state. So a failure counts only if the same test then passes without the mutant.
 * If it does not, the mutant runs again in a new worker.
 *
 * A mutant has timed out if the worker does not react for the limit of Stryker and twice the time of its longest test. A busy
 * machine makes tests slow, but between their steps the worker reacts. A mutant that only waits is killed by the limit of a test.
 *
 * Much code runs in tests, and also at import or in a hook after the tests. Only the tests that reach its mutants run. So
 * such a mutant may survive although another test would kill it; the score is never too high.
 */
class LiveRunner {
  constructor(vitest, options) {
    this.vitest = vitest
    this.configFile = options.vitest.configFile
    this.timeoutMs = options.timeoutMS
    this.tell = new EventEmitter()
    // In the sandbox. Stryker starts a new process after a crash, which runs no test before its first mutant.
    this.timesFile = resolve('live-times.json')
    this.times = existsSync(this.timesFile) ? JSON.parse(readFileSync(this.timesFile, 'utf8')) : {}
  }

  capabilities() {
    return this.vitest.capabilities()
  }

  init() {
    return this.vitest.init()
  }

  async dryRun(options) {
    const result = await this.vitest.dryRun(options)
    const errorMessage = failedHooks(this.vitest.ctx.state.getFiles())
    if (result.status === 'complete' && errorMessage) {
      return { status: 'error', errorMessage }
    }
    this.times = Object.fromEntries((result.tests ?? []).map(({ id, timeSpentMs }) => [id, timeSpentMs]))
    writeFileSync(this.timesFile, JSON.stringify(this.times))
    const { static: atImport = {}, perTest = {} } = result.mutantCoverage ?? {}
    for (const id of Object.values(perTest).flatMap(Object.keys)) {
      delete atImport[id]
    }
    return result
  }

  async mutantRun(options) {
    if (options.mutantActivation === 'static' || !options.testFilter?.length) {
      return await this.vitest.mutantRun(options)
    }
    for (let attempt = 1; attempt <= 2; attempt++) {
      this.worker ??= await this.#start()
      const before = this.worker.vitest.state.errorsSet.size
      const answer = await this.#ask(options)
      if (answer.outcome === 'timeout') {
        await this.#kill()
        return { status: 'timeout', reason: 'the worker does not react' }
      }
      if (answer.outcome === 'killed') {
        return {
          status: 'killed',
          killedBy: [answer.killedBy],
          failureMessage: answer.message,
          nrOfTests: answer.ran,
        }
      }
      if (answer.outcome === 'survived') {
        await new Promise((done) => setTimeout(done, 20))
        if (this.worker.vitest.state.errorsSet.size === before) {
          return { status: 'survived', nrOfTests: answer.ran }
        }
      }
      await this.#stop()
    }
    return await this.vitest.mutantRun(options)
  }

  async dispose() {
    await this.#stop()
    await this.worker?.vitest.close()
    await this.vitest.dispose()
  }

  async #start() {
    const channel = `live-${process.pid}-${Math.random()}`
    const vitest = await createVitest('test', {
      config: this.configFile,
      include: ['test/mutation/live/idle.ts'],
      runner: resolve('test/mutation/live/worker.mjs'),
      pool: 'threads',
      isolate: false,
      maxWorkers: 1,
      watch: false,
      reporters: [{}],
      onConsoleLog: () => false,
    })
    vitest.provide('channel', channel)
    vitest.provide('namespace', INSTRUMENTER_CONSTANTS.NAMESPACE)
    vitest.provide('times', this.times)
    const line = new BroadcastChannel(channel)
    line.onmessage = ({ data }) => this.tell.emit(data.kind, data)
    const ready = once(this.tell, 'ready')
    const run = vitest.start()
    await Promise.race([ready, run.then(() => Promise.reject(new Error('the live worker ended')))])
    return { vitest, line, run }
  }

  async #stop() {
    const { worker } = this
    this.worker = undefined
    if (worker) {
      worker.line.postMessage({ kind: 'end' })
      await worker.run.catch(() => {})
      worker.line.close()
      await worker.vitest.close()
    }
  }

  /** Ends a worker that may be in an endless loop. The second cancellation does not wait for it. */
  async #kill() {
    const { vitest, line, run } = this.worker
    this.worker = undefined
    const cancelled = [1, 2].map(() => vitest.cancelCurrentRun('timeout'))
    await Promise.allSettled([...cancelled, run])
    line.close()
    await vitest.close()
  }

  async #ask({ activeMutant, hitLimit, testFilter }) {
    const answered = once(this.tell, 'answer')
    const longest = Math.max(...testFilter.map((test) => this.times[test] ?? 0))
    let timer
    const limit = new Promise((done) => {
      timer = setTimeout(done, this.timeoutMs + 2 * longest, [{ outcome: 'timeout' }])
    })
    const prolong = () => timer.refresh()
    this.tell.on('beat', prolong)
    this.worker.line.postMessage({
      kind: 'mutant',
      id: activeMutant.id,
      hitLimit,
      tests: testFilter,
      cwd: process.cwd(),
    })
    const [answer] = await Promise.race([answered, limit])
    clearTimeout(timer)
    this.tell.off('beat', prolong)
    return answer
  }
}

/** Stryker takes the tests of a file whose hook failed, and all after them, for skipped. So no mutant would run them. */
function failedHooks(files) {
  return files
    .filter(({ result, tasks }) => result?.state === 'fail' && result.errors?.length > 0 && tasks.length > 0)
    .map(({ name, result }) => `${name}: ${result.errors[0].message}`)
    .join('\n')
}

function liveRunnerFactory(injector) {
  const vitest = injector.injectFunction(vitestRunner)
  return new LiveRunner(vitest, injector.resolve(commonTokens.options))
}
liveRunnerFactory.inject = tokens(commonTokens.injector)

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'live', liveRunnerFactory)]
