/** `999239.50` as `999,239.50`, without a detour through a number. */
export const money = (decimal: string): string => decimal.replace(/\B(?=(?:\d{3})+(?:\.|$))/g, ',')

/** Minor units as a decimal. */
export function ofMinor(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, '0')
  return money(`${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`)
}
