import { OpenAPIHono } from '@hono/zod-openapi'
import { Refusal } from '../bank/refusal.js'
import { SubscriptionError } from '../delivery/subscriptions.js'
import { invalidRequest, Problem, type ProblemCode, problemAnswer } from './problems.js'

/** Where the response to one request is stored. */
export interface Kept {
  /** The credential, the method, the path and the key. */
  readonly scope: string
  readonly fingerprint: string
  isStored: boolean
}

/** The data that the steps of one request share. */
export interface RequestVariables {
  requestId: string
  /** The credential, after it was checked. */
  apiKey: string
  /** Where the response is stored under an Idempotency-Key. */
  kept: Kept | undefined
  isReplayed: boolean
  /** The gaps of the interface on which a 2xx response depends. */
  assumptions: string
  /** Accepted parts of the request that are probably a mistake. */
  warnings: readonly string[] | undefined
  /** The subject of the request, for the line in the log. */
  subject: string
  /** The code of the problem, if the response is one. */
  problem: ProblemCode | undefined
}

export interface Env {
  Variables: RequestVariables
  /** `incoming` is set for a request that came through the port. */
  Bindings: { incoming?: object }
}

export type Api = OpenAPIHono<Env>

/** An app in which every response other than 2xx is a problem document. */
export function createApp(onFailure: (error: unknown) => void): Api {
  const app: Api = new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (!result.success) {
        throw invalidRequest(result.error)
      }
    },
  })
  app.onError((error, c) => {
    const problem = problemOf(error)
    if (problem.code === 'internal_error') {
      onFailure(error)
    }
    return problemAnswer(c, problem)
  })
  return app
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) {
    return error
  }
  if (error instanceof Refusal) {
    return new Problem(error.code, error.message, { param: error.param })
  }
  if (error instanceof SubscriptionError) {
    const code = error.code === 'too_many' ? 'too_many_subscriptions' : 'invalid_request'
    return new Problem(code, error.message, { param: error.param })
  }
  return new Problem('internal_error', 'The sandbox failed. Its log says why.')
}
