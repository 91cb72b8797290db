import type { AuditEntry, InspectedQuarantine, ShapeChange, StoredEvent } from 'webhook-inbox'
import { printable } from '../printable.js'
import type { Printer } from '../printer.js'
import { inWords } from './attempt-in-words.js'

interface Paper {
  readonly print: Printer
  readonly json: boolean
}

export interface ShownEvent {
  readonly event: StoredEvent
  readonly shapeChanges: readonly ShapeChange[]
  /** Who replayed it. */
  readonly replays: readonly AuditEntry[]
  /** Where its handler failed. */
  readonly place?: string | undefined
}

export function printEvent(
  { event, replays, shapeChanges, place }: ShownEvent,
  { print, json }: Paper,
): void {
  const record = { ...event, ...bodyOf(event) }
  if (json) {
    print.json({ ...record, place, replays, shapeChanges })
    return
  }
  const { attempts = [], ...fields } = record
  printFields(fields, print)
  for (const [at, attempt] of attempts.entries()) {
    printField('attempts', inWords(attempt, attempts[at - 1], event.generation), print)
  }
  for (const { at, actor, reason } of replays) {
    printField('replayed', `${at} by ${actor}: ${reason}`, print)
  }
  printField('place', place, print)
  for (const change of shapeChanges) {
    printField('shape', differenceOf(change), print)
  }
  printBody(record.body, print)
}

export function printDelivery(delivery: InspectedQuarantine, { print, json }: Paper): void {
  const record = { ...delivery, ...bodyOf(delivery) }
  if (json) {
    print.json(record)
    return
  }
  // The place is a number for the next page of a list.
  const { rejection, warnings = [], place: _, ...fields } = record
  printFields(fields, print)
  if (rejection) {
    const { code, detail } = rejection
    printField('rejection', detail === undefined ? code : `${code}: ${detail}`, print)
  }
  for (const warning of warnings) {
    printField('warning', warning, print)
  }
  printBody(record.body, print)
}

function printFields(record: object, print: Printer): void {
  for (const [name, value] of Object.entries(record)) {
    if (name !== 'body') {
      printField(name, value, print)
    }
  }
}

function printField(name: string, value: unknown, print: Printer): void {
  if (value !== undefined && value !== '') {
    print.line(`${name.padEnd(12)}  ${printable(String(value))}`)
  }
}

/** How the data differs from that of the last event of its type that succeeded. */
function differenceOf(change: ShapeChange): string {
  switch (change.change) {
    case 'renamed':
      return `${change.path} may have been ${change.before}`
    case 'type':
      return `${change.path} is ${change.type}, was ${change.before}`
    default:
      return `${change.path} is ${change.change} (${change.type})`
  }
}

/** As text, and as base64 too if the text would not be the same bytes. */
function bodyOf({ body }: { readonly body: Uint8Array }): { body: string; bodyBase64?: string } {
  const bytes = Buffer.from(body)
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes)
    ? { body: text }
    : { body: text, bodyBase64: bytes.toString('base64') }
}

/** JSON is indented. */
function printBody(text: string, print: Printer): void {
  print.line()
  for (const line of pretty(text).split('\n')) {
    print.line(printable(line))
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
