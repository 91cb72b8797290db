import { useEffect, useState } from 'preact/hooks'
import type { CallError } from './call.js'
import { connection } from './live.js'

type Problem = Pick<CallError, 'message' | 'status'> & Partial<Pick<CallError, 'said'>>

/** What did not respond, by the code of the problem. */
const sides: Readonly<Record<string, string>> = {
  store_unavailable: 'The database',
  too_slow: 'The database',
  rights_too_slow: 'The function authorize',
}

/**
 * Why something could not be done. When the page connects again after an outage of the program, of its database or of its check of
 * rights, it is forgotten. If it `isKept`, it ends with what responds again.
 */
export function useProblem(isKept = false) {
  const [problem, setProblem] = useState<Problem>()
  const isLive = connection.value === 'live'
  useEffect(() => {
    if (isLive && problem && (problem.status ?? 500) >= 500) {
      const message = `${problem.message} ${sides[problem.said?.code ?? ''] ?? 'The program'} responds again.`
      setProblem(isKept ? { message, status: 0 } : undefined)
    }
  }, [isLive])
  return [problem?.message, setProblem as (problem: unknown) => void] as const
}
