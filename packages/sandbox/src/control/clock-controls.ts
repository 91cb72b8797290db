import * as z from 'zod'
import { advance } from '../advance.js'
import type { Api } from '../api/app.js'
import type { Service } from '../service.js'
import { clockRecord } from './control-records.js'
import { bodyOf } from './input.js'

/** Ten years. Nothing in a sandbox is due later. */
const longest = 10 * 365 * 24 * 60 * 60

const move = z.strictObject({ advanceSeconds: z.number().min(0).max(longest) })

/** `GET clock`, `POST clock` */
export function clockRoutes(app: Api, service: Service): void {
  const record = () => clockRecord(service)

  app.get('/_sandbox/clock', (c) => c.json(record()))

  app.post('/_sandbox/clock', async (c) => {
    const { advanceSeconds } = await bodyOf(c, move)
    await advance(service, advanceSeconds)
    return c.json(record())
  })
}
