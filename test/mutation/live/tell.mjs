import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'

/** Prints each survivor as soon as it is known, and each mutant that took long. A run of a folder can take an hour. */
class TellReporter {
  #last = performance.now()

  onMutantTested({ fileName, location, mutatorName, replacement, status, statusReason, testsCompleted }) {
    const seconds = (performance.now() - this.#last) / 1000
    this.#last = performance.now()
    const hasSurvived = status !== 'Killed' && status !== 'Ignored' && status !== 'CompileError'
    if (hasSurvived || seconds > 5) {
      const place = `${fileName}:${location.start.line}:${location.start.column}`
      const change = `${mutatorName} => ${replacement?.replaceAll(/\s+/g, ' ')}`
      const why = status === 'Timeout' ? ` (${statusReason ?? 'no reaction'})` : ''
      console.log(
        `${status}${why} after ${seconds.toFixed(1)} s and ${testsCompleted} tests: ${place} ${change}`,
      )
    }
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'tell', TellReporter)]
