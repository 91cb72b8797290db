import { Problem, problemOf } from '../problem.js'
import type { Overview, Part } from '../wire.js'
import { withinSeconds } from '../within-seconds.js'
import type { Call, Route } from './route.js'

/** How long one part of the view may take before the others are shown without it. */
const partSeconds = 3
/** How many spans the window is cut into. */
const buckets = 60
/** The longest window, in hours. */
const mostHours = 24 * 31

export const overviewRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/overview',
    action: 'overview:read',
    async run(call): Promise<Overview> {
      const { receiver, query } = call
      const hours = hoursOf(query)
      const since = new Date(Date.now() - hours * 3_600_000)
      const [health, statistics] = await Promise.all([
        part(call, () => receiver.health()),
        part(call, () => receiver.statistics({ since, buckets })),
      ])
      return { guarantee: receiver.describe(), hours, health, statistics }
    },
  },
]

function hoursOf(query: URLSearchParams): number {
  const hours = Number(query.get('hours') ?? 1)
  if (!(hours > 0 && hours <= mostHours)) {
    throw new Problem('invalid_request', `hours must be a number above 0, at most ${mostHours}`)
  }
  return hours
}

async function part<Value>({ options }: Call, read: () => Promise<Value>): Promise<Part<Value>> {
  try {
    return { value: await withinSeconds(partSeconds, read()) }
  } catch (error) {
    return { problem: problemOf(error, (line) => options.logger.error(line)).message }
  }
}
