import type { PayloadCode } from 'webhook-inbox'
import type { Diagnosis, RefusalCode } from 'webhook-inbox-diagnose'
import { plural } from '../plural.js'
import { excerpt, printable } from '../printable.js'
import type { Printer } from '../printer.js'
import { definitions, wrap } from '../wrap.js'

/** The widest line; longer ones are hard to read. */
const maxWidth = 110
/** The first characters of a signature, enough to identify it. Anyone with the whole signature could send the delivery. */
const shownCharacters = 12
/** A header of 64 KiB has a thousand parts. */
const maxParts = 20

/** The diagnosis of a signature. If the signature matches, also the verdict on the body. */
export interface JudgedDelivery extends Omit<Diagnosis, 'code'> {
  readonly code?: RefusalCode | PayloadCode
}

export function printDiagnosis(diagnosis: JudgedDelivery, print: Printer): void {
  const width = Math.min(print.width, maxWidth)
  const paragraph = (text: string, indent: string) => {
    for (const line of wrap(printable(text), width - indent.length)) {
      print.line(indent + line)
    }
  }
  const { isAccepted, causes } = diagnosis

  print.line(isAccepted ? print.style(['green', 'bold'], 'yes') : print.style(['red', 'bold'], 'no'))
  paragraph(diagnosis.summary, '')

  heading('header')
  if (diagnosis.header.problem) {
    paragraph(`Service-Signature: ${diagnosis.header.problem}.`, '  ')
  }
  const parts = diagnosis.header.parts
  const rows = parts.slice(0, maxParts).map(({ tag, value, meaning }): [string, string] => {
    const shown = tag === 'v1' ? shorten(value) : excerpt(value, 40)
    return [`${excerpt(tag, 16).padEnd(2)}  ${shown}`, printable(meaning)]
  })
  for (const line of definitions(rows, width)) {
    print.line(line)
  }
  if (parts.length > maxParts) {
    print.line(`  ... and ${plural(parts.length - maxParts, 'part')} more`)
  }

  heading('body')
  paragraph(`${plural(diagnosis.body.bytes, 'byte')}, ${diagnosis.body.description}`, '  ')
  heading('scheme')
  paragraph(diagnosis.expectation, '  ')

  for (const { code, sentence, evidence, fix } of causes) {
    heading(`cause: ${code}`)
    paragraph(sentence, '  ')
    paragraph(evidence, '  ')
    paragraph(`Fix: ${fix}`, '  ')
  }
  if (diagnosis.schemeLine) {
    heading('paste into createReceiver')
    print.line(`  ${diagnosis.schemeLine}`)
  }
  if (causes.length === 0 && diagnosis.search.tried > 0) {
    heading('search')
    paragraph(`${plural(diagnosis.search.tried, 'combination')} of corrections tried; none matches.`, '  ')
    for (const what of diagnosis.search.leftOut) {
      paragraph(`Not tried: ${what}.`, '  ')
    }
    paragraph('Either the secret is of another endpoint, or the content of the body was changed.', '  ')
  }
  if (diagnosis.expected) {
    heading('expected')
    print.line(`  Service-Signature: ${diagnosis.expected}`)
  }

  function heading(text: string): void {
    print.line()
    print.line(print.style('bold', text))
  }
}

/** The same as JSON. */
export function diagnosisAsJson(diagnosis: JudgedDelivery): object {
  const parts = diagnosis.header.parts.map((part) =>
    part.tag === 'v1' ? { ...part, value: shorten(part.value) } : part,
  )
  return { ...diagnosis, header: { ...diagnosis.header, parts } }
}

const shorten = (signature: string) => excerpt(signature, shownCharacters + 1)
