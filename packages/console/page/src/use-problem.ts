import { useEffect, useState } from 'preact/hooks'
import { away } from './call.js'
import { connection } from './live.js'

/** Why something could not be done. That the program does not respond is forgotten as soon as it does. */
export function useProblem() {
  const [problem, setProblem] = useState<string>()
  const isLive = connection.value === 'live'
  useEffect(() => {
    if (isLive) {
      setProblem((before) => (before === away ? undefined : before))
    }
  }, [isLive])
  return [problem, setProblem] as const
}
