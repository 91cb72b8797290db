import type { InQuarantine as Quarantined } from '../../../src/wire.js'
import { hrefOf } from '../route.js'

/** Leads from an id to its delivery in quarantine. Shows nothing where there is none. */
export const InQuarantine = ({ of: { quarantined } }: { readonly of: Partial<Quarantined> }) =>
  quarantined ? (
    <p>
      <a href={hrefOf('quarantine', quarantined.key, [['code', quarantined.code]])}>
        A delivery with this id
      </a>{' '}
      is in quarantine: <code>{quarantined.code}</code>.
    </p>
  ) : null
