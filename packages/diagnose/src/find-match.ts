import { bodyForms } from './bodies.js'
import type { Case } from './case.js'
import type { SearchReport } from './diagnosis.js'
import { readings } from './header.js'
import type { IdCandidate } from './heads.js'
import { keyCandidates } from './keys.js'
import { type Match, search } from './search.js'

export interface Found {
  readonly match?: Match
  readonly report: SearchReport
}

/** Looks for the fewest corrections that make the signature match. */
export async function findMatch(given: Case): Promise<Found> {
  const { body, secret, otherSecrets = [], otherDeliveries = [], scheme, onProgress } = given
  const { forms, leftOut } = bodyForms(body, otherDeliveries)
  const result = await search({
    readings: allReadings(given),
    ids: idCandidates(given),
    keys: await keyCandidates(secret, otherSecrets, scheme),
    bodies: forms,
    scheme,
    onProgress,
  })
  if (!result.isComplete) {
    leftOut.push('some combinations of several faults: the body is too large to try them all')
  }
  const { match, tried } = result
  return { ...(match && { match }), report: { tried, leftOut: match ? [] : leftOut } }
}

function allReadings({ header, otherDeliveries = [] }: Case) {
  return [
    ...readings(header),
    ...otherDeliveries.flatMap(({ name = 'another delivery', header: other }) =>
      readings(other).map((reading) => ({
        ...reading,
        changes: [
          ...reading.changes,
          {
            code: 'header_from_another_delivery',
            evidence: `The header of ${name} belongs to this body.`,
          } as const,
        ],
      })),
    ),
  ]
}

function idCandidates({ id, idInBody, otherDeliveries = [] }: Case): IdCandidate[] {
  const known = new Set<string | undefined>([id])
  const candidates: IdCandidate[] = [{ id, changes: [] }]
  for (const [other, whose] of [
    [idInBody, 'in the body'] as const,
    ...otherDeliveries.map(({ name = 'another delivery', id: theirs }) => [theirs, `of ${name}`] as const),
  ]) {
    if (known.has(other)) {
      continue
    }
    known.add(other)
    const evidence = `The signature is made with the id ${whose}, not with Service-Event-Id.`
    candidates.push({ id: other, changes: [{ code: 'event_id_mismatch', evidence }] })
  }
  return candidates
}
