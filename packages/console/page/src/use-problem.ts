import { useEffect, useState } from 'preact/hooks'
import type { CallError } from './call.js'
import { connection } from './live.js'

type Problem = Pick<CallError, 'message' | 'status'>

/**
 * Why something could not be done. When the page connects again after an outage of the program, of its database or of its check of
 * rights, this ends with `over`. Without `over` it is forgotten.
 */
export function useProblem(over?: string) {
  const [problem, setProblem] = useState<Problem>()
  const isLive = connection.value === 'live'
  useEffect(() => {
    if (isLive && problem && (problem.status ?? 500) >= 500) {
      setProblem(over ? { message: `${problem.message} ${over}`, status: 0 } : undefined)
    }
  }, [isLive])
  return [problem?.message, setProblem as (problem: unknown) => void] as const
}
