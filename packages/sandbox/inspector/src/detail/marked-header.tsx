import { Fragment } from 'preact'
import type { Diagnosis } from 'webhook-inbox-diagnose'
import { Code } from 'webhook-inbox-ui'

interface MarkedHeaderProps {
  readonly header: string
  readonly diagnosis: Diagnosis
}

/** The header as it was sent, with each part underlined by whether it holds. */
export function MarkedHeader({ header, diagnosis }: MarkedHeaderProps) {
  const { code } = diagnosis
  const wrong = code === 'timestamp_out_of_tolerance' ? 't' : code === 'signature_mismatch' ? 'v1' : undefined
  return (
    <Code label="The header, part by part">
      Service-Signature:{' '}
      {header.split(',').map((part, at) => (
        <Fragment key={at}>
          {at > 0 && ','}
          <span class="part" data-outcome={part.trim().startsWith(`${wrong}=`) ? 'bad' : 'good'}>
            {part}
          </span>
        </Fragment>
      ))}
    </Code>
  )
}
