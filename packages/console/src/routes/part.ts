import { problemOf } from '../problem.js'
import type { Part, ProblemCode } from '../wire.js'
import { withinSeconds } from '../within-seconds.js'
import type { Call } from './route.js'

/** How long one part of a view may take before the others are shown without it. */
const partSeconds = 3

/** Reads a part of a view. Never rejects. */
export async function part<Value>({ options }: Call, read: () => Promise<Value>): Promise<Part<Value>> {
  try {
    return { value: await withinSeconds(partSeconds, read()) }
  } catch (error) {
    const { message, code } = problemOf(error, options.logger.error)
    return { problem: message, code }
  }
}

/** The values of the parts that could be read, and why the others could not. */
export async function parts<Values extends object>(
  call: Call,
  reads: { readonly [Name in keyof Values]: () => Promise<Values[Name]> },
): Promise<Partial<Values> & { readonly problems?: readonly ProblemCode[] }> {
  const names = Object.keys(reads) as (keyof Values)[]
  const read = await Promise.all(names.map(async (name) => [name, await part(call, reads[name])] as const))
  const problems = read.flatMap(([, each]) => ('code' in each ? [each.code] : []))
  const values = read.flatMap(([name, each]) =>
    'value' in each && each.value !== undefined ? [[name, each.value]] : [],
  )
  return { ...Object.fromEntries(values), ...(problems.length > 0 && { problems }) }
}
