import type { SourcesView } from '../wire.js'
import type { Route } from './route.js'

export const sourceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/sources',
    action: 'overview:read',
    async run({ receiver }): Promise<SourcesView> {
      const { sources, isCapped } = await receiver.sources()
      return {
        sources: [
          ...sources.filter(({ isSilent }) => isSilent),
          ...sources.filter(({ isSilent }) => !isSilent),
        ],
        isCapped,
      }
    },
  },
]
