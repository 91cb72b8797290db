import { useEffect, useState } from 'preact/hooks'
import { Ago, Note, Outcome, Table } from 'webhook-inbox-ui'
import type { VerificationPreview } from '../../../src/wire.js'
import { Alarm } from '../alarm.js'
import { BackToList } from '../back-to-list.js'
import { prepare } from '../call.js'
import { digits } from '../digits.js'
import { can, may, needs } from '../me.js'
import { ReasonForm } from '../reason-form.js'
import { hrefOf } from '../route.js'
import { cappedWords, deliveriesOf } from '../state-words.js'
import { useProblem } from '../use-problem.js'
import { deliveryName } from './delivery-name.js'
import { reasonWords } from './reason-words.js'
import { isRunning, notStarted, startVerification, verification, verifyAllHref } from './verification.js'
import { VerificationView } from './verification-view.js'
import { Warnings } from './warnings.js'

export const mayVerify = (): boolean => can('bulk') && may('deliveries:verify')

/** Checks all deliveries that match: first the preview, then the progress and the outcome. */
export function VerifyAllPane({ code }: { readonly code: string }) {
  const found = verification.value
  return (
    <div class="inner stack">
      <div class="bar">
        <h2 class="grow">Verify again all that match</h2>
        <BackToList page="quarantine" />
      </div>
      {!mayVerify() ? (
        <Note outcome="rejected">
          <p>You may not do this. {needs('deliveries:verify')}</p>
        </Note>
      ) : found && (isRunning(found) || found.code === code) ? (
        <VerificationView found={found} />
      ) : (
        <Preview code={code} />
      )}
    </div>
  )
}

/** Nothing changes here. It is read once, so that the count stays while the person writes the reason. */
function Preview({ code }: { readonly code: string }) {
  const [preview, setPreview] = useState<VerificationPreview & { readonly at: string }>()
  const [problem, setProblem] = useProblem()
  const read = async () => {
    setPreview(undefined)
    setProblem(undefined)
    try {
      const found = await prepare<VerificationPreview>('quarantine/preview', { code })
      setPreview({ ...found, at: new Date().toISOString() })
    } catch (error) {
      setProblem(error)
    }
  }
  useEffect(() => {
    void read()
    return () => {
      notStarted.value = undefined
    }
  }, [code])
  if (problem !== undefined) {
    return (
      <>
        <Alarm>Cannot preview it. {problem}</Alarm>
        <button type="button" onClick={() => void read()}>
          Try again
        </button>
      </>
    )
  }
  return preview ? (
    <>
      {notStarted.value && <Alarm>{notStarted.value} This is a new preview.</Alarm>}
      <Start code={code} preview={preview} onAgain={() => void read()} />
    </>
  ) : (
    <p class="faint">Counting the deliveries…</p>
  )
}

function Start({
  code,
  preview,
  onAgain,
}: {
  readonly code: string
  readonly preview: VerificationPreview & { readonly at: string }
  readonly onAgain: () => void
}) {
  const { count, isCapped, codes, sample, at } = preview
  if (count === 0) {
    return (
      <Note outcome="ignored">
        <p>No delivery {code === '' ? 'is quarantined' : 'with this cause is quarantined'}.</p>
      </Note>
    )
  }
  const warnings = [...new Set(sample.flatMap((each) => (each.rejection ? [] : each.warnings)))]
  return (
    <>
      <p>
        The receiver checks each with its current options. If it is valid now, it becomes an event and runs.
        If it stays here, your reason is only in the log of the program.
      </p>
      <Note outcome="accepted">
        <p>
          <strong>{deliveriesOf(count, isCapped)}</strong> {count === 1 ? 'matches' : 'match'}
          {code !== '' && (
            <>
              {' '}
              with the cause <code>{code}</code>
            </>
          )}
          . Deliveries that arrive from now on are not part of it.
        </p>
        {codes.length > 1 && (
          <ul>
            {codes.map((each) => (
              <li key={each.code}>
                <a href={verifyAllHref(each.code)}>{each.code}</a>: {digits(each.count)}
              </li>
            ))}
          </ul>
        )}
      </Note>
      {sample.length > 0 && (
        <>
          <h3>
            {sample.length < count ? `A sample of ${sample.length}, checked ` : 'Checked '}
            <Ago at={at} />
          </h3>
          <Sample deliveries={sample} />
          <Warnings texts={warnings} />
        </>
      )}
      <ReasonForm
        button={`Verify again all ${cappedWords(preview)}`}
        draft={`verify all ${code}`}
        next={{ word: 'Make a new preview', take: onAgain }}
        onSubmit={(reason) => startVerification(code, preview, reason)}
      />
    </>
  )
}

/** What a check says of some of the deliveries now. */
function Sample({ deliveries }: { readonly deliveries: VerificationPreview['sample'] }) {
  return (
    <div class="card">
      <Table label="Some of these deliveries" class="wraps">
        <tbody>
          {deliveries.map(({ key, eventId, rejection, original, ...row }) => (
            <tr key={key}>
              <td>
                {rejection ? (
                  <Outcome outcome="quarantined">Would stay</Outcome>
                ) : (
                  <Outcome outcome="processed">Valid now</Outcome>
                )}
              </td>
              <td>
                <a class={eventId === undefined ? undefined : 'mono'} href={hrefOf('quarantine', key)}>
                  {deliveryName({ eventId, ...row })}
                </a>
                {rejection && <p class="faint">{reasonWords(rejection)}</p>}
                {original && <p class="faint">{original}</p>}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  )
}
