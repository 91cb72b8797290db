import { problemOf } from '../problem.js'
import type { Overview, Part } from '../wire.js'
import { withinSeconds } from '../within-seconds.js'
import type { Call, Route } from './route.js'

/** How long one part of the view may take before the others are shown without it. */
const partSeconds = 3

export const overviewRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/overview',
    action: 'overview:read',
    async run(call): Promise<Overview> {
      const { receiver } = call
      const [health] = await Promise.all([part(call, () => receiver.health())])
      return { guarantee: receiver.describe(), health }
    },
  },
]

async function part<Value>({ options }: Call, read: () => Promise<Value>): Promise<Part<Value>> {
  try {
    return { value: await withinSeconds(partSeconds, read()) }
  } catch (error) {
    return { problem: problemOf(error, (line) => options.logger.error(line)).message }
  }
}
