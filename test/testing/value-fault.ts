/** The faults that a value can have, as text: a kind, and the path of the part that is wrong. */

type Path = readonly string[]

const dayMs = 86_400_000
const isDate = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)

const kinds: Readonly<Record<string, (value: never) => unknown>> = {
  another: (value: string) => `${value}x`,
  more: (value: number) => value + 1,
  less: (value: number) => value - 1,
  not: (value: boolean) => !value,
  later: (value: string) => new Date(Date.parse(value) + dayMs).toISOString(),
  earlier: (value: string) => new Date(Date.parse(value) - dayMs).toISOString(),
  older: (value: Date) => new Date(value.getTime() - dayMs),
  newer: (value: Date) => new Date(value.getTime() + dayMs),
  missing: () => undefined,
  idle: () => async () => {},
  added: () => ({ key: 'another' }),
  reversed: (value: unknown[]) => value.toReversed(),
  shorter: (value: unknown[] | Uint8Array) => value.slice(0, -1),
  longer: (value: unknown[]) => [...value, value.at(-1) ?? {}],
}

/** All faults of a value, outermost first. */
export function faultsOf(value: unknown, path: Path = []): string[] {
  const at = (...names: string[]) => names.map((name) => [name, path.join('.')].join(' ').trim())
  if (value === undefined || value === null) {
    return at('added')
  }
  if (isDate(value)) {
    return at('later', 'earlier', 'missing')
  }
  if (typeof value === 'string') {
    return at('another', ...(path.length > 0 ? ['missing'] : []))
  }
  if (typeof value === 'number') {
    return at('more', 'less')
  }
  if (typeof value === 'boolean') {
    return at('not')
  }
  if (value instanceof Date) {
    return at('older', 'newer')
  }
  if (ArrayBuffer.isView(value)) {
    return at('shorter')
  }
  if (Array.isArray(value)) {
    const places = value.length > 4 ? [0, value.length - 1] : value.keys()
    return [
      ...at('longer', ...(value.length > 0 ? ['shorter'] : []), ...(value.length > 1 ? ['reversed'] : [])),
      ...[...places].flatMap((place) => faultsOf(value[place], [...path, String(place)])),
    ]
  }
  if (typeof value === 'object' && !(value instanceof AbortSignal)) {
    return [
      ...at('missing'),
      ...Object.entries(value).flatMap(([name, part]) => faultsOf(part, [...path, name])),
    ]
  }
  return typeof value === 'function' ? at('idle') : []
}

/** The value with a fault. */
export function changed(value: unknown, fault: string): unknown {
  const [kind = '', path = ''] = fault.split(' ')
  return at(value, path === '' ? [] : path.split('.'), kinds[kind] as (value: unknown) => unknown)
}

function at(value: unknown, [name, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (name === undefined) {
    return change(value)
  }
  if (Array.isArray(value)) {
    return value.map((part, i) => (String(i) === name ? at(part, rest, change) : part))
  }
  const object = value as Record<string, unknown>
  const part = at(object?.[name], rest, change)
  return { ...object, [name]: part }
}

/** The arguments with a fault: one that is ignored, or another value. */
export const given = (args: unknown[], fault: string): unknown[] => changed(args, fault) as unknown[]
