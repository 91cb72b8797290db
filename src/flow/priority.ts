/** The priority of a type: 0 if it has none, `undefined` if no type has one. */
export const priorityOf = (
  { priorities }: { readonly priorities?: Readonly<Record<string, number>> | undefined },
  type: string,
): number | undefined => priorities && (Object.hasOwn(priorities, type) ? priorities[type] : 0)
