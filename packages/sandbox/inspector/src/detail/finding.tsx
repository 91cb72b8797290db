import type { ComponentChildren } from 'preact'
import { Outcome } from 'webhook-inbox-ui'

interface FindingProps {
  readonly name: string
  /** Absent where there is nothing to judge. */
  readonly holds?: boolean | undefined
  readonly children: ComponentChildren
}

/** One part of the signature, and whether it holds. */
export function Finding({ name, holds, children }: FindingProps) {
  return (
    <tr>
      <th scope="row">
        {holds === undefined ? (
          name
        ) : (
          <Outcome outcome={holds ? 'good' : 'bad'}>
            {name} <span class="unseen">{holds ? 'holds' : 'does not hold'}</span>
          </Outcome>
        )}
      </th>
      <td>{children}</td>
    </tr>
  )
}
