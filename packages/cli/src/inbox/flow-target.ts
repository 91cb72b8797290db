import type { FlowTarget } from 'webhook-inbox'
import type { Options, Values } from '../command.js'
import { UsageError } from '../exit.js'

export const targetOptions = {
  type: { type: 'string', value: 'TYPE', help: 'The events of this type' },
  resource: { type: 'string', value: 'NAME', help: 'The events of this resource' },
} as const satisfies Options

/** What to pause or resume; the endpoint of the receiver if neither option is given. */
export function readTarget({ type, resource }: Values<typeof targetOptions>): FlowTarget {
  if (type !== undefined && resource !== undefined) {
    throw new UsageError('give --type or --resource, not both')
  }
  return { ...(type !== undefined && { type }), ...(resource !== undefined && { resource }) }
}

/** A target as text for an operator. */
export function nameTarget({ type, resource }: FlowTarget): string {
  if (type !== undefined) {
    return `type ${type}`
  }
  return resource === undefined ? 'the endpoint' : `resource ${resource}`
}
