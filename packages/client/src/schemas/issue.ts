import type * as z from 'zod'

/** What is wrong with a request, in the words of a problem document. */
export interface RequestIssue {
  /** The path of the field, such as `destination.phone` or `events[0]`; absent where the body itself is wrong. */
  readonly param?: string
  readonly message: string
}

/** The first thing that is wrong with a request: its field, and what the field must be. */
export function firstIssue(error: z.core.$ZodError): RequestIssue {
  const issue = error.issues[0]
  if (!issue) {
    return { message: 'is not valid' }
  }
  if (issue.code === 'unrecognized_keys') {
    return {
      param: paramOf([...issue.path, ...issue.keys.slice(0, 1)]),
      message: 'is not a field of this request',
    }
  }
  return issue.path.length === 0
    ? { message: issue.message }
    : { param: paramOf(issue.path), message: issue.message }
}

const paramOf = (path: readonly PropertyKey[]) =>
  path.reduce<string>((text, key) => {
    if (typeof key === 'number') {
      return `${text}[${key}]`
    }
    return text ? `${text}.${String(key)}` : String(key)
  }, '')
