import * as z from 'zod'
import { mustBe } from './must-be.js'

/** The largest amount of a request; the bound is our assumption (G29). */
const mostMinorUnits = 9_999_999_999_999_99n

const asString = 'a string with exactly two fraction digits, such as "10.50"'
const inBounds = 'must be greater than 0 and at most 9999999999999.99'
const asNumber = 'a JSON number with at most two fraction digits, such as 10.5'

/** The amount of shape A: a string with exactly two fraction digits. */
export const GivenAmount = z
  .string(mustBe(asString))
  .regex(/^(0|[1-9]\d*)\.\d{2}$/, { error: `must be ${asString}`, abort: true })
  .refine((amount) => isInBounds(minorUnits(amount)), inBounds)
  .meta({ description: 'An amount in major units, with two fraction digits.', examples: ['10.50'] })

/**
 * The amount of shape B: a JSON number in major units. It is read as the decimal that JavaScript prints for it, so that
 * 0.1 + 0.2 is rejected and 0.3 is not.
 */
export const GivenAmountAsNumber = z
  .number(mustBe(asNumber))
  .refine((amount) => /^-?\d+(\.\d{1,2})?$/.test(String(amount)), {
    error: `must be ${asNumber}`,
    abort: true,
  })
  .refine((amount) => isInBounds(minorUnits(amount)), inBounds)
  .meta({
    description: 'An amount in major units, with at most two fraction digits.',
    examples: [1050],
    'x-assumed': 'I12',
  })

/** Money of an answer: major units with two fraction digits; negative in the ledger alone. */
export const Money = z
  .string()
  .regex(/^-?(0|[1-9]\d*)\.\d{2}$/)
  .meta({ description: 'An amount in major units, with two fraction digits.', examples: ['1000000.00'] })

/** The minor units of an amount that one of the schemas above has accepted: `"10.50"` and `10.5` are `1050n`. */
export function minorUnits(amount: string | number): bigint {
  const [whole, fraction = ''] = String(amount).split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}

const isInBounds = (minor: bigint) => minor > 0n && minor <= mostMinorUnits
