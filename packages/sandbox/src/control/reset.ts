import type { Api } from '../api/app.js'
import type { Service } from '../service.js'

/** `POST reset` */
export function resetRoute(app: Api, service: Service): void {
  app.post('/_sandbox/reset', async (c) => {
    await service.reset()
    return c.body(null, 204)
  })
}
