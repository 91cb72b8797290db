import type * as z from 'zod'

/** The message of a field that has the wrong type: it tells a missing field apart. */
export const mustBe = (what: string) => ({
  error: (issue: z.core.$ZodRawIssue) => (issue.input === undefined ? 'is required' : `must be ${what}`),
})
