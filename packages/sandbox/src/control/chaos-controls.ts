import type { Api } from '../api/app.js'
import { chaosSettings, readChaos, writeChaos } from '../delivery/chaos.js'
import type { Service } from '../service.js'
import { bodyOf } from './input.js'

/** `GET chaos`, `PUT chaos` */
export function chaosRoutes(app: Api, { database, feed }: Service): void {
  app.get('/_sandbox/chaos', (c) => c.json(readChaos(database)))

  app.put('/_sandbox/chaos', async (c) => {
    const settings = await bodyOf(c, chaosSettings)
    writeChaos(database, settings)
    feed.publish('chaos', settings)
    return c.json(settings)
  })
}
