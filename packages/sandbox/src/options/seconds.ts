const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 }

/** The seconds of `100ms`, `5s`, `2m`, `1h` or `5`; `NaN` for anything else, which every option rejects. */
export function secondsOf(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  return Number(number) * (units[unit] as number)
}
